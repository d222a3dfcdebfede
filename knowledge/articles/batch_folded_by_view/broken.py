import torch
from torch import nn


class Brightness(nn.Module):
    def forward(self, pictures):
        return pictures.view(-1, 14 * 14).mean(dim=1)


means = Brightness()(torch.rand(8, 3, 14, 14))
assert means.shape == (8,)
