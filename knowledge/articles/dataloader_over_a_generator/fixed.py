import torch
from torch.utils.data import DataLoader


def rows():
    for i in range(6):
        yield torch.full((2,), float(i))


for batch in DataLoader(list(rows()), batch_size=3):
    print(batch.shape)
