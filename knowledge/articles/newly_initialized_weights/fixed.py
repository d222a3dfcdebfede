import torch
from torch import nn

torch.manual_seed(0)
trained = nn.ModuleDict({"body": nn.Linear(4, 4), "classifier": nn.Linear(4, 2)})
saved = trained.state_dict()
model = nn.ModuleDict({"body": nn.Linear(4, 4), "classifier": nn.Linear(4, 2)})
missing = model.load_state_dict(saved, strict=False).missing_keys
assert not missing, "these are still random"
