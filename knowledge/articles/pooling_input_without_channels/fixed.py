import torch
from torch import nn

pool = nn.AdaptiveAvgPool2d((1, 1))
picture = torch.rand(28, 28)
pool(picture.unsqueeze(0))
