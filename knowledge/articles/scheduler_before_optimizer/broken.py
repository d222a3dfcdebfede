import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
rates = []
for epoch in range(4):
    scheduler.step()
    model(torch.ones(4, 3)).mean().backward()
    rates.append(round(optimizer.param_groups[0]["lr"], 4))
    optimizer.step()
    optimizer.zero_grad()
assert rates == [0.1, 0.1, 0.01, 0.01]
