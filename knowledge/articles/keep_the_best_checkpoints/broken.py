import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
weight = model.weight.detach().clone()
best = model.state_dict()
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
model.load_state_dict(best)
assert torch.equal(model.weight, weight), "the weights of the best epoch are back"
