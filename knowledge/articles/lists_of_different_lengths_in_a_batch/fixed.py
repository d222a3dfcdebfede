import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(samples):
    tokens, labels = zip(*samples)
    tokens = [torch.tensor(t) for t in tokens]
    return pad_sequence(tokens, batch_first=True), torch.tensor(labels)


data = [([5, 2, 9], 0), ([7], 1)]
for tokens, labels in DataLoader(data, batch_size=2, collate_fn=collate):
    assert tokens.shape == (2, 3)
