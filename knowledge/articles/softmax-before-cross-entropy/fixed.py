import torch
from torch import nn

model = nn.Identity()  # it hands on its scores
scores = 20 * torch.eye(10)
loss = nn.functional.cross_entropy(model(scores), torch.arange(10))
assert loss < 0.01
