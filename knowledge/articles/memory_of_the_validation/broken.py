import torch
from torch import nn

model = nn.Linear(4, 2)
model.eval()
kept = [model(torch.randn(8, 4)) for _ in range(3)]
assert all(out.grad_fn is None for out in kept), "no output keeps a graph"
