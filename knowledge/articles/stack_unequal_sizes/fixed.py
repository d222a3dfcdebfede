import torch
from torch.nn.utils.rnn import pad_sequence

sentences = [torch.tensor([4, 2, 7]), torch.tensor([5, 1])]
batch = pad_sequence(sentences, batch_first=True)
assert batch.tolist() == [[4, 2, 7], [5, 1, 0]]
