import torch
from torch import nn

x = torch.randn(2, 7, 3)  # [batch, time, features]
pooled = nn.AdaptiveMaxPool1d(1)(x.permute(0, 2, 1)).squeeze(2)
assert torch.equal(pooled, x.amax(1)), "the maximum over time, for each feature"
