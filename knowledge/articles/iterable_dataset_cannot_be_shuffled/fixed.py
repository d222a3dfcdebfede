import random

from torch.utils.data import DataLoader, IterableDataset


class Numbers(IterableDataset):
    def __iter__(self):
        return iter(random.sample(range(10), 10))


loader = DataLoader(Numbers(), batch_size=2)
assert sorted(n for batch in loader for n in batch.tolist()) == list(range(10))
