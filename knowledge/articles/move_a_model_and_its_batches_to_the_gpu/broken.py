import torch
from torch import nn

model = nn.Linear(4, 2)
model.to("cuda")
x = torch.ones(3, 4)
x.to("cuda")
assert next(model.parameters()).device == x.device
