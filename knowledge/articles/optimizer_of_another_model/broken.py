import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model = nn.Linear(2, 1)
before = model.weight.detach().clone()
model(torch.ones(4, 2)).square().mean().backward()
optimizer.step()
assert not torch.equal(model.weight, before)
