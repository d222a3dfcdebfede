import torch
from torch import nn

x = torch.randn(16, 8) * 3 + 5
y = nn.BatchNorm1d(8)(x)  # each feature over the samples
assert torch.allclose(y.mean(dim=1), torch.zeros(16), atol=1e-5), "the samples' means are not 0"
