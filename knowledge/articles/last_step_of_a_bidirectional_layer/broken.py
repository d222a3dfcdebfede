import torch
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(3, 4, batch_first=True, bidirectional=True)
x = torch.randn(2, 5, 3)
changed = x.clone()
changed[:, 0] = 9.0


def backward_half(x):
    return lstm(x)[0][:, -1, 4:]


differ = not torch.equal(backward_half(x), backward_half(changed))
assert differ, "the backward half has not read the first element"
