import warnings

import torch

warnings.simplefilter("error")  # to stop where it is told
weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
for epoch in range(2):
    optimizer.zero_grad()
    weight.square().sum().backward()
    optimizer.step()
    scheduler.step()
