import torch
from torch import nn

x = torch.randn(4, 3)
a = nn.Linear(3, 2)
b = nn.Linear(3, 2)
torch.testing.assert_close(a(x), b(x))  # error: AssertionError: Tensor-likes are not close!
