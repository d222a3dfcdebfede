import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

model = nn.Linear(10, 20)
with FlopCounterMode(display=False) as counter:
    model(torch.zeros(1, 10))
macs = counter.get_total_flops()
assert macs == 10 * 20, "each multiply-add is counted as two"
