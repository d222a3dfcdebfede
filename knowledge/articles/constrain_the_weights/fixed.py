import torch
from torch import nn
from torch.nn.utils import parametrize

torch.manual_seed(0)
layer = nn.Linear(4, 4)
parametrize.register_parametrization(layer, "weight", nn.Softplus())
optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
layer(torch.ones(1, 4)).sum().backward()
optimizer.step()
assert (layer.weight >= 0).all(), "the step made weights negative"
