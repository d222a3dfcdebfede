import torch
from torch.utils.data import DataLoader

torch.manual_seed(0)
labels = torch.arange(1000) % 50
batches = [labels[batch] for batch in DataLoader(range(1000), batch_size=32, shuffle=True)]
assert all(sorted(b.unique(return_counts=True)[1].tolist()) == [4] * 8 for b in batches)
