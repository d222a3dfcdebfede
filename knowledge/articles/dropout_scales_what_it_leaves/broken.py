import torch
from torch import nn

torch.manual_seed(0)
keep = 0.9
out = nn.Dropout(keep)(torch.ones(1000))
assert (out == 0).float().mean() < 0.2, "nine of ten values were dropped"
