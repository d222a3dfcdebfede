import torch
from torch import nn

model = nn.Linear(4, 2).bfloat16()
x = torch.ones(3, 4, dtype=torch.bfloat16)
model(x).float().sum().backward()
assert model.weight.grad.dtype == torch.float32, "weights and gradients are in half precision"
