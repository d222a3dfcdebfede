import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.weight.detach().clone()
sgd.zero_grad()
loss = model(torch.ones(4, 2)).pow(2).mean()
loss.backward()
sgd.step()
assert not torch.equal(before, model.weight), "the step changed nothing"
