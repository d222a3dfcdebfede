from torch.utils.data.distributed import DistributedSampler

data, n_gpus = range(499), 8
parts = [
    list(DistributedSampler(data, num_replicas=n_gpus, rank=rank, shuffle=False))
    for rank in range(n_gpus)
]
assert sum(map(len, parts)) == len(data), "some samples are predicted twice"
