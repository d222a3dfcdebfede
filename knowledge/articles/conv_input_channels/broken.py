import torch
from torch import nn

photos = torch.rand(4, 32, 32, 3)  # as image libraries and NumPy have them: channels last
conv = nn.Conv2d(3, 8, kernel_size=3)
features = conv(photos)  # error: RuntimeError: Given groups=1, weight of size [8, 3, 3, 3], expected input[4, 32, 32, 3] to have 3 channels, but got 32 channels instead
