import torch
from torch import nn

layers = [nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)]
model = nn.Sequential(layers)  # error: TypeError: list is not a Module subclass
