import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
optimizer = torch.optim.SGD(
    [{"params": model[0].parameters(), "lr": 0.001}, {"params": model[1].parameters()}], lr=0.1
)
assert [group["lr"] for group in optimizer.param_groups] == [0.001, 0.1]
