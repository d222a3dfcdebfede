import torch
from torch import nn

trained = nn.DataParallel(nn.Linear(3, 2))
torch.save(trained.state_dict(), "weights.pt")

model = nn.Linear(3, 2)
model.load_state_dict(torch.load("weights.pt"))  # error: RuntimeError: Error(s) in loading state_dict for Linear
