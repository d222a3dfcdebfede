import torch
from torch import nn

image = torch.rand(3, 4, 4)
small = nn.functional.interpolate(image, size=(8, 8), mode="bilinear")  # error: ValueError: Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [4] and output size of (8, 8).
