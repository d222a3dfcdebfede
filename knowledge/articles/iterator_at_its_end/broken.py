import torch
from torch.utils.data import DataLoader

batches = iter(DataLoader(torch.arange(8), batch_size=4))
for step in range(3):
    batch = next(batches)  # error: StopIteration
