import torch
from torch import nn

trained = nn.DataParallel(nn.Linear(3, 2))
weights = trained.state_dict()  # as it was saved

model = nn.Linear(3, 2)
model.load_state_dict(weights)  # error: RuntimeError: Error(s) in loading state_dict for Linear
