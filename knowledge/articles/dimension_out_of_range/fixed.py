import torch

scores = torch.randn(10)
probabilities = scores.softmax(dim=-1)
assert abs(probabilities.sum().item() - 1) < 1e-5
