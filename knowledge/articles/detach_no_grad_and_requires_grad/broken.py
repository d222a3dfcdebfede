import torch
from torch import nn

first, frozen = nn.Linear(2, 2), nn.Linear(2, 1)
with torch.no_grad():
    frozen_output = frozen(first(torch.ones(1, 2)))
output = frozen_output + 0.0 * first(torch.ones(1, 2)).sum()
output.sum().backward()
assert first.weight.grad.abs().sum() > 0
