import torch

rows = torch.randn(4, 3)
chosen = torch.tensor([0, 2, 4])
picked = rows[chosen]  # error: IndexError: index 4 is out of bounds for dimension 0 with size 4
