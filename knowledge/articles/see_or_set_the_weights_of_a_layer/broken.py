import torch
from torch import nn

net = nn.Linear(2, 1)
values = net.weight
values = torch.ones(1, 2)
assert torch.equal(net.weight, torch.ones(1, 2)), "the name got another tensor, the layer did not"
