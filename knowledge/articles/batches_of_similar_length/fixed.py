import torch
from torch.utils.data import DataLoader, Sampler

torch.manual_seed(0)
lengths = torch.randint(3, 400, (5000,))


class SimilarLengths(Sampler):
    def __init__(self, lengths, batch_size, portion=100):
        self.lengths, self.size, self.portion = torch.as_tensor(lengths), batch_size, portion

    def __iter__(self):
        batches = []
        for part in torch.randperm(len(self.lengths)).split(self.size * self.portion):
            part = part[self.lengths[part].argsort()]
            batches += [batch.tolist() for batch in part.split(self.size)]
        for i in torch.randperm(len(batches)).tolist():
            yield batches[i]

    def __len__(self):
        full = self.size * self.portion
        whole, rest = divmod(len(self.lengths), full)
        return whole * self.portion + -(-rest // self.size)


loader = DataLoader(range(5000), batch_sampler=SimilarLengths(lengths, 32))
batches = [lengths[batch] for batch in loader]
assert len(batches) == len(loader) and sum(map(len, batches)) == 5000
padded = sum(int(b.max()) * len(b) for b in batches)
assert padded < 1.1 * lengths.sum(), "less than a tenth of it is padding"
