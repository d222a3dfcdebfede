import torch
from torch import nn

x = torch.randn(16, 8) * 3 + 5
y = nn.LayerNorm(8)(x)  # each sample over its features
assert torch.allclose(y.mean(dim=1), torch.zeros(16), atol=1e-5), "the samples' means are not 0"
