import torch
from torch import nn

trained = nn.Linear(3, 2)
saved = torch.optim.Adam(trained.parameters()).state_dict()

model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
optimizer = torch.optim.Adam([{"params": model[0].parameters()}])
optimizer.load_state_dict(saved)
optimizer.add_param_group({"params": model[2].parameters()})
