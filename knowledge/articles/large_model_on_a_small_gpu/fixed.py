import torch
from torch import nn

layer = nn.Linear(1000, 1000).requires_grad_(False)
down, up = nn.Linear(1000, 8, bias=False), nn.Linear(8, 1000, bias=False)
added = [*layer.parameters(), *down.parameters(), *up.parameters()]
trained = sum(p.numel() for p in added if p.requires_grad)
assert trained * 16 < 1_000_000, "bytes for weights, gradients and Adam"
