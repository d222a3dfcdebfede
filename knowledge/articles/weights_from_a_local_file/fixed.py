import torch
from torch import nn

torch.manual_seed(0)
torch.save(nn.Linear(4, 2).state_dict(), "weights.pth")
model = nn.Linear(4, 2)
model.load_state_dict(torch.load("weights.pth", map_location="cpu"))
assert torch.equal(model.weight, torch.load("weights.pth")["weight"])
