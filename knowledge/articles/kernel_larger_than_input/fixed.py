import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(4), nn.Conv2d(4, 8, 5, padding=2))
images = torch.rand(2, 1, 14, 14)
maps = net(images)
assert maps.shape == (2, 8, 3, 3)
