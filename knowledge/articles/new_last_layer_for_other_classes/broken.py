import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1000))
model[-1].out_features = 10
assert model(torch.rand(1, 8)).shape == (1, 10)
