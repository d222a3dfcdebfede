import torch
from torch import nn

model = nn.Linear(3, 2)
images = torch.ones(4, 3)
with torch.no_grad():
    scores = model(images)
assert not scores.requires_grad
