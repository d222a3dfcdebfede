import torch
from torch.utils.data import random_split

group = torch.arange(600) // 20
drawn = torch.Generator().manual_seed(0)
training, validation = random_split(range(600), [0.8, 0.2], generator=drawn)
assert not set(group[validation.indices].tolist()) & set(group[training.indices].tolist())
