import torch
from torch.utils.data import DataLoader

loader = DataLoader(torch.rand(10, 1), batch_size=4)
weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
steps = 10 // 4
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=2, steps_per_epoch=steps)
for epoch in range(2):
    for batch in loader:
        optimizer.zero_grad()
        (weight * batch).mean().backward()
        optimizer.step()
        scheduler.step()  # error: ValueError: Tried to step 5 times. The specified number of total steps is 4
