import pickle

import torch
from torch.utils.data import DataLoader


def join(rows):
    return torch.stack(rows)


pickle.dumps(join)  # what a worker is sent
loader = DataLoader(torch.arange(4.0), num_workers=1, collate_fn=join)
batches = list(loader)
assert len(batches) == 4
