import torch
from torch.utils.data import DataLoader, Sampler

data = list(range(100))
torch.manual_seed(0)


class Resumable(Sampler):
    def __init__(self, n, seed=0):
        self.n, self.seed, self.epoch, self.done = n, seed, 0, 0

    def __iter__(self):
        drawn = torch.Generator().manual_seed(self.seed + self.epoch)
        return iter(torch.randperm(self.n, generator=drawn).tolist()[self.done :])

    def __len__(self):
        return self.n - self.done


seen = [v for i, batch in zip(range(3), DataLoader(data, 10, sampler=Resumable(100))) for v in batch.tolist()]
sampler = Resumable(100)
sampler.done = len(seen)
seen += [v for batch in DataLoader(data, 10, sampler=sampler) for v in batch.tolist()]
assert sorted(seen) == data, "each sample once, also over the restart"
