import torch
from torch import nn

layer = nn.Conv2d(3, 8, kernel_size=3)
layer(torch.randn(1, 3, 8, 8))
