import torch
from torch import nn

conv = nn.Conv2d(1, 4, kernel_size=5, stride=2)
side = 28 // 2
assert conv(torch.zeros(1, 1, 28, 28)).shape[-1] == side
