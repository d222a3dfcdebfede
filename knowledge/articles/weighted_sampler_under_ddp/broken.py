import torch
from torch.utils.data import WeightedRandomSampler

weights = torch.tensor([1 / 900] * 900 + [1 / 100] * 100).double()
shares = []
for rank in range(2):
    same = torch.Generator().manual_seed(0)
    shares.append(list(WeightedRandomSampler(weights, 500, generator=same)))
assert shares[0] != shares[1], "each process has a share of its own"
