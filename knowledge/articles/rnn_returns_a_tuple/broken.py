import torch
from torch import nn

lstm = nn.LSTM(4, 8, batch_first=True)
head = nn.Linear(8, 1)
states = lstm(torch.randn(2, 5, 4))
scores = head(states)  # error: TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple
