import torch
from torch import nn

image = torch.rand(3, 4, 4)
small = nn.functional.interpolate(image.unsqueeze(0), size=(8, 8), mode="bilinear").squeeze(0)
