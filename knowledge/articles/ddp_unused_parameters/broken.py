import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x):
        return self.used(x)


model = nn.parallel.DistributedDataParallel(Net())
for _ in range(2):
    scores = model(torch.ones(4, 3))  # error: RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.
    scores.sum().backward()
