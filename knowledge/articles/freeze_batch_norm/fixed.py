import torch
from torch import nn

torch.manual_seed(0)
layer = nn.BatchNorm1d(2)
layer.requires_grad_(False).eval()
layer(torch.randn(8, 2) + 5)
assert torch.equal(layer.running_mean, torch.zeros(2)), "the averages moved"
