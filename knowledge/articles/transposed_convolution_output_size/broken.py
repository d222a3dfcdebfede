import torch
from torch import nn

up = nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1)
y = up(torch.rand(1, 4, 8, 8), output_size=(20, 20))  # error: ValueError: requested an output size of (20, 20), but valid sizes range from [15, 15] to [16, 16]
