import torch
from torch import nn

x = torch.zeros(1, 4, 5, 5)
x[:, 0] = 1.0  # only channel 0 holds anything
conv = nn.Conv2d(4, 4, 3, padding=1, bias=False)  # each output channel sees all inputs
assert conv(x)[:, 1:].abs().sum() == 0, "channel 0 reaches the other channels"
