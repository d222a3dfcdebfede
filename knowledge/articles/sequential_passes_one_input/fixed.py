import torch
from torch import nn


class Masked(nn.Module):
    def forward(self, x, mask):
        return x * mask


net = nn.Sequential(nn.Linear(3, 4), Masked())
net[1](net[0](torch.randn(2, 3)), torch.ones(4))
