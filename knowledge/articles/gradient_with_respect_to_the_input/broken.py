import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
x = torch.randn(5, 3, requires_grad=True)
inputs = x * 1.0
net(inputs)[:, 0].sum().backward()
gradient = inputs.grad if inputs.is_leaf else None
assert gradient is not None and gradient.shape == (5, 3), "a result keeps no gradient"
