import torch

rows = torch.randn(4, 3)
total = 0.0
for i in range(5):
    total += rows[i].sum()  # error: IndexError: index 4 is out of bounds for dimension 0 with size 4
