import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

sentences = [torch.tensor([4, 8, 1, 2]), torch.tensor([7, 2])]
loader = DataLoader(
    sentences, batch_size=2, collate_fn=lambda samples: pad_sequence(samples, batch_first=True)
)
batch = next(iter(loader))
assert batch.shape == (2, 4)
