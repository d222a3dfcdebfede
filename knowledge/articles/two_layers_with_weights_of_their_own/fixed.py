import torch
from torch import nn

x = torch.randn(4, 3)
a = nn.Linear(3, 2)
b = nn.Linear(3, 2)
with torch.no_grad():
    b.weight.copy_(a.weight)
    b.bias.copy_(a.bias)
torch.testing.assert_close(a(x), b(x))
