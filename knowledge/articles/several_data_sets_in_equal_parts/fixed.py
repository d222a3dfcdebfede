import torch
from torch.utils.data import ConcatDataset, DataLoader, WeightedRandomSampler

torch.manual_seed(0)
sets, shares = [[i] * n for i, n in enumerate((100, 1000, 10000))], [1 / 3, 1 / 3, 1 / 3]
weights = torch.cat([torch.full((len(s),), share / len(s)) for s, share in zip(sets, shares)])
sampler = WeightedRandomSampler(weights.double(), num_samples=6000, replacement=True)
loader = DataLoader(ConcatDataset(sets), batch_size=64, sampler=sampler)
drawn = torch.cat(list(loader)).bincount(minlength=3).double()
assert (drawn / drawn.sum() - 1 / 3).abs().max() < 0.05, "a third of each"
