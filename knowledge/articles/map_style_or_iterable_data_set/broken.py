from torch.utils.data import DataLoader, IterableDataset


class Numbers(IterableDataset):
    def __iter__(self):
        yield from range(6)


seen = [int(n) for n in DataLoader(Numbers(), batch_size=None, num_workers=2)]
assert sorted(seen) == list(range(6)), "samples come several times"
