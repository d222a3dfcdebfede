import torch
from torch import nn

layer = nn.Linear(8, 5)
x = torch.randn(2, 3, 8)  # batch, time, features
y = nn.Linear(3 * 8, 5)(x.flatten(1))  # flattened: one result for a whole sequence
assert y.shape == (2, 3, 5), f"no result for each time step: {tuple(y.shape)}"
