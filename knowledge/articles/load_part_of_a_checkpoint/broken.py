import torch
from torch import nn

torch.manual_seed(0)
pretrained = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 10)).state_dict()
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3))  # another last layer
try:
    model.load_state_dict(pretrained, strict=False)  # leaves names out, and refuses other shapes
    loaded = True
except RuntimeError:
    loaded = False
assert loaded and torch.equal(model[0].weight, pretrained["0.weight"]), "it was refused for the last layer"
