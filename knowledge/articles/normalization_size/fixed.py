import torch
from torch import nn

hidden = torch.randn(4, 16)
norm = nn.BatchNorm1d(16)
out = norm(hidden)
assert out.shape == (4, 16)
