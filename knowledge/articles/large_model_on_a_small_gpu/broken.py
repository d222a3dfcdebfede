import torch
from torch import nn

layer = nn.Linear(1000, 1000)
trained = sum(p.numel() for p in layer.parameters() if p.requires_grad)
assert trained * 16 < 1_000_000, "bytes for weights, gradients and Adam"
