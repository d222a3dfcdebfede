import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1000))
model[-1] = nn.Linear(model[-1].in_features, 10)
assert model(torch.rand(1, 8)).shape == (1, 10)
