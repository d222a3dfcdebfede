import torch
from torch.utils.data import DistributedSampler

sampler = DistributedSampler(range(100), num_replicas=2, rank=0, shuffle=True)
orders = []
for epoch in range(2):
    sampler.set_epoch(epoch)
    orders.append(list(sampler))
assert orders[0] != orders[1], "both epochs have the same order"
