import torch
from torch import nn

norm = nn.BatchNorm1d(1)
norm(torch.tensor([[1.0], [3.0]]))  # mean 2
expected = 0.1 * 0.0 + 0.9 * 2.0  # momentum taken for the share of the old value
assert abs(norm.running_mean.item() - expected) < 1e-6, f"the running mean is {norm.running_mean.item():.2f}"
