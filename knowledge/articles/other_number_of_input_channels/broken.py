import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
model[0].in_channels = 1
assert model[0].weight.shape[1] == 1, "no weight was changed"
