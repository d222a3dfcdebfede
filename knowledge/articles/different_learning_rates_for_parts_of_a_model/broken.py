import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.add_param_group({"params": model[0].parameters(), "lr": 0.001})  # error: ValueError: some parameters appear in more than one parameter group
assert [group["lr"] for group in optimizer.param_groups] == [0.001, 0.1]
