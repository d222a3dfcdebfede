import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
before = model[0].weight.detach().clone()
model[0].requires_grad = False
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(16, 4)).pow(2).mean().backward()
optimizer.step()
assert torch.equal(model[0].weight, before)
