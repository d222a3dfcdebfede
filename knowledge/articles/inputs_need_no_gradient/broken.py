import torch
from torch import nn

model = nn.Linear(3, 1)
inputs = torch.randn(4, 3, requires_grad=True)
model.requires_grad_(False)  # the wrong way round
model(inputs).sum().backward()
assert model.weight.grad is not None, "the weights got no gradient"
