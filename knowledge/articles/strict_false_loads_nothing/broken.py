import torch
from torch import nn

trained = nn.DataParallel(nn.Linear(3, 2))
weights = trained.state_dict()

model = nn.Linear(3, 2)
report = model.load_state_dict(weights, strict=False)
assert torch.equal(model.weight, trained.module.weight)
