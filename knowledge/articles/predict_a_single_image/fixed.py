import torch
from torch import nn

model = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(1))
image = torch.rand(3, 8, 8)
scores = model(image.unsqueeze(0))
assert scores.shape == (1, 3)
