import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(4, 4)
layer.weight.data.abs_()  # once, before training
optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
layer(torch.ones(1, 4)).sum().backward()
optimizer.step()
assert (layer.weight >= 0).all(), "the step made weights negative"
