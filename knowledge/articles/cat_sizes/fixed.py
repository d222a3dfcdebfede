import torch

old = torch.randn(10, 4)
new = torch.randn(3, 4)
table = torch.cat([old, new], dim=0)
assert table.shape == (13, 4)
