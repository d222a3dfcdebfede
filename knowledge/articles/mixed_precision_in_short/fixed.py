import torch
from torch import nn

net = nn.Linear(4, 2)
x = torch.ones(3, 4)
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = net(x)
out.float().sum().backward()
assert net.weight.grad.dtype == torch.float32, "weights and gradients are in half precision"
