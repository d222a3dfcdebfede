import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.Flatten(1), nn.Linear(4 * 15 * 15, 10))
try:
    out = net(torch.rand(1, 3, 64, 64))
except RuntimeError:
    out = None
assert out is not None, "it takes 32 x 32 only"
