import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 1))
x = torch.ones(1, 4)
model.eval()
with torch.no_grad():
    first, second = model(x), model(x)
assert torch.equal(first, second)
