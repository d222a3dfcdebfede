import torch
from torch.utils.data import WeightedRandomSampler

torch.manual_seed(0)
labels = torch.tensor([0] * 900 + [1] * 100)
weights = (1 / torch.bincount(labels).double())[labels]
drawn = torch.tensor(list(WeightedRandomSampler(weights, num_samples=1000)))
assert len(drawn.unique()) > 300 and abs(labels[drawn].double().mean() - 0.5) < 0.1
