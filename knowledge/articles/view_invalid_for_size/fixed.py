import torch
from torch import nn

images = torch.rand(4, 3, 10, 10)
maps = nn.Conv2d(3, 8, 3)(images)
rows = maps.flatten(1)
assert rows.shape == (4, 512)
