import torch
from torch import nn

conv = nn.Conv2d(3, 4, 1).to(memory_format=torch.channels_last)
images = torch.zeros(2, 3, 8, 8)
images = images.to(memory_format=torch.channels_last)
assert images.shape[1] == conv.in_channels, "the layer would take the height for channels"
