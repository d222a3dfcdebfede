import torch
from torch import nn

layer = nn.Linear(8, 5)
x = torch.randn(2, 3, 8)  # batch, time, features
y = layer(x)
assert y.shape == (2, 3, 5), f"no result for each time step: {tuple(y.shape)}"
