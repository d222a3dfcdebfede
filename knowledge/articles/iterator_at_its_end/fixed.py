import torch
from torch.utils.data import DataLoader


def forever(loader):
    while True:
        yield from loader


batches = forever(DataLoader(torch.arange(8), batch_size=4))
for step in range(3):
    batch = next(batches)
