import torch
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(3, 4)
_, state = lstm(torch.randn(5, 1, 3))
x = torch.randn(5, 1, 3)
alone = lstm(x, (torch.zeros(1, 1, 4), torch.zeros(1, 1, 4)))[0]
output, _ = lstm(x, state)
assert torch.equal(output, alone), "what came before changes this sequence"
