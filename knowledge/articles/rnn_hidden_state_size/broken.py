import torch
from torch import nn

gru = nn.GRU(4, 6, batch_first=True)
last_batch = torch.randn(5, 9, 4)  # what was left over
state = torch.zeros(1, 32, 6)  # as for all the others
outputs, state = gru(last_batch, state)  # error: RuntimeError: Expected hidden size (1, 5, 6), got [1, 32, 6]
