from torch.utils.data.distributed import DistributedSampler

data = range(10)
parts = [list(DistributedSampler(data, num_replicas=4, rank=r, shuffle=False)) for r in range(4)]
seen = sum(len(part) for part in parts)
assert seen == len(data), "the sampler repeats samples"
