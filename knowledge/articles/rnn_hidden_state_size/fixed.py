import torch
from torch import nn

gru = nn.GRU(4, 6, batch_first=True)
last_batch = torch.randn(5, 9, 4)  # what was left over
state = torch.zeros(1, last_batch.size(0), 6)
outputs, state = gru(last_batch, state)
assert outputs.shape == (5, 9, 6)
