import torch
from torch.utils.data import Subset

group = torch.arange(600) // 20
names = group.unique()
drawn = names[torch.randperm(len(names), generator=torch.Generator().manual_seed(0))]
in_validation = torch.isin(group, drawn[: len(names) // 5])
validation = Subset(range(600), in_validation.nonzero().flatten().tolist())
training = Subset(range(600), (~in_validation).nonzero().flatten().tolist())
assert not set(group[validation.indices].tolist()) & set(group[training.indices].tolist())
