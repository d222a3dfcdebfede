import torch
from torch import nn

lstm = nn.LSTM(4, 8, batch_first=True)
head = nn.Linear(8, 1)
states, _ = lstm(torch.randn(2, 5, 4))
scores = head(states)
assert scores.shape == (2, 5, 1)
