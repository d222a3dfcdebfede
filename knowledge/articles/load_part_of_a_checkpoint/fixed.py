import torch
from torch import nn

torch.manual_seed(0)
pretrained = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 10)).state_dict()
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3))  # another last layer
own = model.state_dict()
try:
    kept = {n: t for n, t in pretrained.items() if n in own and t.shape == own[n].shape}
    model.load_state_dict(kept, strict=False)
    loaded = True
except RuntimeError:
    loaded = False
assert loaded and torch.equal(model[0].weight, pretrained["0.weight"]), "it was refused for the last layer"
