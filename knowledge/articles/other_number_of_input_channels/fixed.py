import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
old, new = model[0], nn.Conv2d(1, 8, 3)
with torch.no_grad():
    new.weight.copy_(old.weight.sum(1, keepdim=True))
    new.bias.copy_(old.bias)
model[0] = new
assert model[0].weight.shape[1] == 1, "no weight was changed"
