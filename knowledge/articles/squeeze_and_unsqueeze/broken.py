import torch
from torch import nn

head = nn.Linear(4, 1)
scores = head(torch.zeros(1, 4)).squeeze()
assert scores.shape == (1,), "the batch of one lost its dimension"
