import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
one_sample = torch.randn(1, 4)
scores = model(one_sample)  # error: ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 8])
