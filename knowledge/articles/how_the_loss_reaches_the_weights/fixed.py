import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.weight.detach().clone()
loss = model(torch.ones(3, 2)).sum()
loss.backward()
optimizer.step()
assert not torch.equal(model.weight, before), "the step did not reach the model"
