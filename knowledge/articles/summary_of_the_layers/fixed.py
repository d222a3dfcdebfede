import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8 * 6 * 6, 10))
shapes = {}
for name, layer in model.named_children():
    layer.register_forward_hook(lambda _, args, out, name=name: shapes.update({name: out.shape}))
model(torch.zeros(1, 3, 8, 8))
assert shapes["1"] == (1, 288), "the layers do not know their output's shape"
