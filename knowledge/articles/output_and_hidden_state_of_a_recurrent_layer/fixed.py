import torch
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(3, 4, num_layers=2)
output, (h_n, c_n) = lstm(torch.randn(5, 2, 3))
last = h_n[-1]
assert torch.equal(last, output[-1])
