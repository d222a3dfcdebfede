import torch

torch.manual_seed(0)
scores = torch.randn(4, 3)  # 4 samples, 3 classes
probabilities = scores.softmax(dim=1)
assert torch.allclose(probabilities.sum(dim=1), torch.ones(4)), "a sample's classes do not add up to 1"
