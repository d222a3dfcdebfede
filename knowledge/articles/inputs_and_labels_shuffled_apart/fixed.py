import torch

torch.manual_seed(0)
x = torch.arange(100)
y = x % 2
order = torch.randperm(100)
x = x[order]
y = y[order]
assert torch.equal(x % 2, y)
