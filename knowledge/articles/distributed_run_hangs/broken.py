import torch
from torch.utils.data import DataLoader

data = torch.arange(9.0)
steps = []
for rank in range(2):  # what each of two processes goes through
    loader = DataLoader(data[rank::2], batch_size=2)
    steps.append(len(loader))
assert steps[0] == steps[1]  # the third step of rank 0 waits for ever
