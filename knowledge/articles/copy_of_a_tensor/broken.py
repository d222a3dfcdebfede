import torch
from torch import nn

layer = nn.Linear(2, 1)
before = layer.weight.detach()
with torch.no_grad():
    layer.weight.add_(1)
assert not torch.equal(before, layer.weight), "the copy changed with the weights"
