import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8 * 6 * 6, 10))
shapes = {name: None for name, _ in model.named_modules() if name}
assert shapes["1"] == (1, 288), "the layers do not know their output's shape"
