import copy

import torch
from torch import nn

net = nn.Linear(2, 1)
frozen = copy.deepcopy(net)
with torch.no_grad():
    net.weight.add_(1)
assert not torch.equal(frozen.weight, net.weight), "both names are one model"
