import torch
from torch import nn

images = torch.rand(4, 3, 10, 10)
maps = nn.Conv2d(3, 8, 3)(images)
rows = maps.view(-1, 8 * 10 * 10)  # error: RuntimeError: shape '[-1, 800]' is invalid for input of size 2048
