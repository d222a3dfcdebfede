import torch

queries = torch.randn(5, 16)
keys = torch.randn(7, 16)
similarity = queries @ keys.T
assert similarity.shape == (5, 7)
