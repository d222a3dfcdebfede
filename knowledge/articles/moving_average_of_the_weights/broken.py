import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

net = nn.Linear(1, 1, bias=False)
ema = AveragedModel(net)
for value in (0.0, 1.0, 1.0, 1.0):
    nn.init.constant_(net.weight, value)
    ema.update_parameters(net)
assert abs(ema.module.weight.item() - 0.875) < 1e-6, "0, 0.5, 0.75, 0.875 with a decay of one half"
