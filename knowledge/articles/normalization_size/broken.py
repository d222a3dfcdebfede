import torch
from torch import nn

hidden = torch.randn(4, 16)
norm = nn.BatchNorm1d(8)
out = norm(hidden)  # error: RuntimeError: running_mean should contain 16 elements not 8
