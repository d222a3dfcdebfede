import torch
from torch.utils.data import DataLoader, DistributedSampler

dataset = torch.arange(8)
seen = []
for rank in range(2):  # what two processes read in one epoch
    sampler = DistributedSampler(dataset, num_replicas=2, rank=rank)
    seen += torch.cat(list(DataLoader(dataset, batch_size=2, sampler=sampler))).tolist()
assert sorted(seen) == list(range(8)), "every sample was read twice"
