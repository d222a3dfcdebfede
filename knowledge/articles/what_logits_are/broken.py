import torch

scores = torch.tensor([[2.0, -1.0, 0.5]])  # what a classifier gives
probabilities = scores
assert torch.allclose(probabilities.sum(dim=1), torch.ones(1)), "they do not add up to 1"
