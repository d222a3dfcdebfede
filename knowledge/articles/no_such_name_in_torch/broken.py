import torch
from torch import nn

layer = nn.Conv2D(3, 8, kernel_size=3)  # error: AttributeError: module 'torch.nn' has no attribute 'Conv2D'
layer(torch.randn(1, 3, 8, 8))
