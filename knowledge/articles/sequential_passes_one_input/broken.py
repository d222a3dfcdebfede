import torch
from torch import nn


class Masked(nn.Module):
    def forward(self, x, mask):
        return x * mask


net = nn.Sequential(nn.Linear(3, 4), Masked())
net(torch.randn(2, 3), torch.ones(4))  # error: TypeError: Sequential.forward() takes 2 positional arguments but 3 were given
