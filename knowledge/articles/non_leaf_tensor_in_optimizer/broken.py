import torch
from torch import nn

model = nn.Linear(4, 3)
scale = 0.1 * torch.randn(3, requires_grad=True)
optimizer = torch.optim.Adam([*model.parameters(), scale], lr=0.01)  # error: ValueError: can't optimize a non-leaf Tensor

optimizer.zero_grad()
(scale * model(torch.randn(8, 4))).pow(2).mean().backward()
optimizer.step()
