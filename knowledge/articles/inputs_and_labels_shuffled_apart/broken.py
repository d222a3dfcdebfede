import torch

torch.manual_seed(0)
x = torch.arange(100)
y = x % 2
x = x[torch.randperm(100)]
y = y[torch.randperm(100)]
assert torch.equal(x % 2, y)
