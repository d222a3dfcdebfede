import torch
from torch import nn

pool = nn.AdaptiveAvgPool2d((1, 1))
picture = torch.rand(28, 28)
pool(picture)  # error: ValueError: Input dimension should be at least 3
