import torch

scores = torch.tensor([[1.2, -0.3, 0.5]])
choice = torch.multinomial(scores.float().softmax(dim=-1), num_samples=1)
