import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
x = torch.rand(4, 8)
model.eval()
with torch.no_grad():
    first, second = model(x), model(x)
assert torch.equal(first, second)
