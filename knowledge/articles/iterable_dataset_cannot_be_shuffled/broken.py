from torch.utils.data import DataLoader, IterableDataset


class Numbers(IterableDataset):
    def __iter__(self):
        return iter(range(10))


loader = DataLoader(Numbers(), batch_size=2, shuffle=True)  # error: ValueError: DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=True
