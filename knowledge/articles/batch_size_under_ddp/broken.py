from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

data, n_gpus, wanted = range(128), 4, 32
sampler = DistributedSampler(data, num_replicas=n_gpus, rank=0)
loader = DataLoader(data, batch_size=wanted, sampler=sampler)
assert len(loader) == len(data) // wanted, "a step takes 4 x 32 samples"
