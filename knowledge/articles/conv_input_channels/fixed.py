import torch
from torch import nn

photos = torch.rand(4, 32, 32, 3)  # as image libraries and NumPy have them: channels last
conv = nn.Conv2d(3, 8, kernel_size=3)
features = conv(photos.permute(0, 3, 1, 2))
assert features.shape == (4, 8, 30, 30)
