import torch
from torch import nn

body, head = nn.Linear(2, 2), nn.Linear(2, 1)
model = nn.Sequential(body, head)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
model(torch.ones(1, 2)).sum().backward()
model.zero_grad()
assert body.weight.grad is None
