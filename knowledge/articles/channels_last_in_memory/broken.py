import torch
from torch import nn

conv = nn.Conv2d(3, 4, 1)
images = torch.zeros(2, 3, 8, 8)
images = images.permute(0, 2, 3, 1)
assert images.shape[1] == conv.in_channels, "the layer would take the height for channels"
