import torch
from torch import nn

net = nn.Linear(4, 2).bfloat16()
x = torch.ones(3, 4, dtype=torch.bfloat16)
net(x).float().sum().backward()
assert net.weight.grad.dtype == torch.float32, "weights and gradients are in half precision"
