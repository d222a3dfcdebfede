import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
one_sample = torch.randn(1, 4)
model.eval()
scores = model(one_sample)
assert scores.shape == (1, 2)
