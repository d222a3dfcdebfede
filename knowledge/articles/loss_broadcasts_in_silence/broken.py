import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 1)
y = 3 * x.squeeze(1)

model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(100):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()

assert abs(model.weight.item() - 3) < 0.1
