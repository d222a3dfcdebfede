import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
for p in model.parameters():
    if p.ndim == 1:
        p = torch.zeros_like(p)
assert all((layer.bias == 0).all() for layer in model if isinstance(layer, nn.Linear))
