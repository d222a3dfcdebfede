import torch
from torch import nn

torch.manual_seed(0)
f = nn.Sequential(nn.Linear(7, 16), nn.Tanh(), nn.Linear(16, 3))
x = torch.randn(5, 7)
jacobians = torch.autograd.functional.jacobian(f, x)
assert jacobians.shape == (5, 3, 7)
