import torch
from torch.utils.data import DataLoader

dataset = torch.arange(8)
seen = []
for rank in range(2):  # what two processes read in one epoch
    seen += torch.cat(list(DataLoader(dataset, batch_size=2, shuffle=True))).tolist()
assert sorted(seen) == list(range(8)), "every sample was read twice"
