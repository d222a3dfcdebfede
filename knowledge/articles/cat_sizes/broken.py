import torch

old = torch.randn(10, 4)
new = torch.randn(3, 4)
table = torch.cat([old, new], dim=1)  # error: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 10 but got size 3 for tensor number 1 in the list.
