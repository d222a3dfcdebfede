import torch
from torch.optim.lr_scheduler import CosineAnnealingLR

optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
schedule = CosineAnnealingLR(optimizer, T_max=100)
rates = []
for _ in range(100):
    rates.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    schedule.step()
assert rates[0] < rates[9] and rates[10] > rates[99], "it does not rise before it falls"
