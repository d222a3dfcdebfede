import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)).requires_grad_(False)
x = torch.randn(16, 4)
before = model.eval()(x)
model.train()
with torch.no_grad():
    model(5 + torch.randn(16, 4))
assert torch.equal(model.eval()(x), before)
