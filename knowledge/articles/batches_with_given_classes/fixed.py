import torch
from torch.utils.data import DataLoader, Sampler

torch.manual_seed(0)
labels = torch.arange(1000) % 50


class ClassesInBatch(Sampler):
    def __init__(self, labels, classes, each, batches):
        self.of = [(labels == c).nonzero().flatten() for c in labels.unique()]
        self.classes, self.each, self.batches = classes, each, batches

    def __iter__(self):
        for _ in range(self.batches):
            batch = []
            for c in torch.randperm(len(self.of))[: self.classes].tolist():
                drawn = torch.randint(len(self.of[c]), (self.each,))
                if len(self.of[c]) >= self.each:
                    drawn = torch.randperm(len(self.of[c]))[: self.each]
                batch += self.of[c][drawn].tolist()
            yield batch

    def __len__(self):
        return self.batches


sampler = ClassesInBatch(labels, classes=8, each=4, batches=31)
batches = [labels[batch] for batch in DataLoader(range(1000), batch_sampler=sampler)]
assert all(sorted(b.unique(return_counts=True)[1].tolist()) == [4] * 8 for b in batches)
