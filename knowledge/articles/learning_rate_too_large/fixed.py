import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(100, 1) * 100
y = 2 * x + 1
x = (x - x.mean(dim=0)) / x.std(dim=0)
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first = nn.functional.mse_loss(model(x), y).item()
for _ in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
assert loss < first
