import torch
from torch import nn

trained = nn.DataParallel(nn.Linear(3, 2))
weights = {name.removeprefix("module."): value for name, value in trained.state_dict().items()}

model = nn.Linear(3, 2)
report = model.load_state_dict(weights)
assert torch.equal(model.weight, trained.module.weight)
