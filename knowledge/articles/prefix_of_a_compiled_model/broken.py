import torch
from torch import nn

model = nn.Linear(2, 1)
compiled = torch.compile(model)
saved = compiled.state_dict()
assert list(saved) == ["weight", "bias"], f"the names are {list(saved)}"
