import torch
from torch import nn

image = torch.rand(2, 3, 64, 64)
mask = torch.randint(0, 4, (2, 64, 64))
scores = nn.Conv2d(3, 4, 3, stride=2, padding=1)(image)
scores = nn.functional.interpolate(scores, size=mask.shape[-2:], mode="bilinear")
loss = nn.functional.cross_entropy(scores, mask)
