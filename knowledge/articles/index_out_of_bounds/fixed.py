import torch

rows = torch.randn(4, 3)
total = 0.0
for i in range(rows.shape[0]):
    total += rows[i].sum()
