import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(4), nn.Conv2d(4, 8, 5))
images = torch.rand(2, 1, 14, 14)
maps = net(images)  # error: RuntimeError: Calculated padded input size per channel: (3 x 3). Kernel size: (5 x 5). Kernel size can't be greater than actual input size
