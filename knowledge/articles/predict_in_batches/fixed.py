import torch
from torch import nn

model, data = nn.Linear(10, 3), torch.rand(1000, 10)
with torch.no_grad():
    outputs = [model(x) for x in data.split(100)]
assert all(out.grad_fn is None for out in outputs), "each batch keeps its graph"
