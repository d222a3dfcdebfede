import torch
from torch import nn

trained = nn.Linear(3, 2)
saved = torch.optim.Adam(trained.parameters()).state_dict()

model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(saved)  # error: ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's group
