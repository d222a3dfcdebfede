import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1))
ema = copy.deepcopy(net).eval()
for _ in range(100):
    net(5 + 3 * torch.randn(64, 2))
    with torch.no_grad():
        for average, weight in zip(ema.parameters(), net.parameters()):
            average.lerp_(weight, 0.1)
        for average, value in zip(ema.buffers(), net.buffers()):
            average.copy_(value)
net.eval()
x = 5 + 3 * torch.randn(8, 2)
assert torch.allclose(ema(x), net(x), atol=0.1), "the same weights, and other outputs"
