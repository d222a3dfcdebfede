import torch
from torch import nn

trained = nn.DataParallel(nn.Linear(3, 2))
torch.save(trained.state_dict(), "weights.pt")

model = nn.Linear(3, 2)
weights = torch.load("weights.pt")
model.load_state_dict({key.removeprefix("module."): value for key, value in weights.items()})
assert torch.equal(model.weight, trained.module.weight)
