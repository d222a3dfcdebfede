import torch
from torch.utils.data import DataLoader


def forever(loader):
    while True:
        yield from loader


torch.manual_seed(0)
batches = forever(DataLoader(range(40), batch_size=4, shuffle=True))
first, second = ([next(batches).tolist() for _ in range(10)] for _ in range(2))
assert sorted(sum(first, [])) == sorted(sum(second, [])) and first != second
