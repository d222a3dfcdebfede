import torch
from torch import nn

conv = nn.Conv2d(3, 8, kernel_size=5, stride=2, padding="same")  # error: ValueError: padding='same' is not supported for strided convolutions
conv(torch.randn(1, 3, 28, 28))
