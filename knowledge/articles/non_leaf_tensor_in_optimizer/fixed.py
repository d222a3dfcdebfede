import torch
from torch import nn

model = nn.Linear(4, 3)
scale = nn.Parameter(0.1 * torch.randn(3))
before = scale.detach().clone()
optimizer = torch.optim.Adam([*model.parameters(), scale], lr=0.01)

optimizer.zero_grad()
(scale * model(torch.randn(8, 4))).pow(2).mean().backward()
optimizer.step()

assert not torch.equal(scale, before)
