import torch

scores = torch.randn(10)
probabilities = scores.softmax(dim=1)  # error: IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)
