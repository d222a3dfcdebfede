import torch
from torch.utils.data import DataLoader, DistributedSampler

data = torch.arange(9.0)
steps = []
for rank in range(2):  # what each of two processes goes through
    sampler = DistributedSampler(data, num_replicas=2, rank=rank)
    loader = DataLoader(data, batch_size=2, sampler=sampler)
    steps.append(len(loader))
assert steps[0] == steps[1]  # the third step of rank 0 waits for ever
