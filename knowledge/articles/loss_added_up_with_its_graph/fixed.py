import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
running = 0
for _ in range(5):
    optimizer.zero_grad()
    loss = model(torch.rand(8, 4)).square().mean()
    loss.backward()
    optimizer.step()
    running += loss.item()
assert not getattr(running, "requires_grad", False)
