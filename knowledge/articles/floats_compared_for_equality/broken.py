import torch

parts = torch.full((10,), 0.1)
one_by_one = torch.tensor(0.0)
for p in parts:
    one_by_one = one_by_one + p
same = torch.equal(one_by_one, torch.tensor(1.0))
assert same
