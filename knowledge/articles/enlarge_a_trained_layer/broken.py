import torch
from torch import nn

torch.manual_seed(0)
trained, x = nn.Linear(8, 10), torch.randn(4, 8)
larger = nn.Linear(8, 13)
assert torch.allclose(larger(x)[:, :10], trained(x)), "the old classes keep their scores"
