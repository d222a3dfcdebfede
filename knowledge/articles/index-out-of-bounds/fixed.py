import torch

rows = torch.randn(4, 3)
chosen = torch.tensor([0, 2, 3])
picked = rows[chosen]
assert picked.shape == (3, 3)
