import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, kernel_size=3, padding=1)

    def forward(self, x):
        skip = x
        x = torch.relu(self.conv(x))
        return x + skip  # error: RuntimeError: The size of tensor a (16) must match the size of tensor b (3) at non-singleton dimension 1


Block()(torch.rand(2, 3, 8, 8))
