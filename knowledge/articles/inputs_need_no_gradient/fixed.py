import torch
from torch import nn

model = nn.Linear(3, 1)
inputs = torch.randn(4, 3)
model(inputs).sum().backward()
assert model.weight.grad is not None, "the weights got no gradient"
