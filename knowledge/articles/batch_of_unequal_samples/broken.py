import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

sentences = [torch.tensor([4, 8, 1, 2]), torch.tensor([7, 2])]
loader = DataLoader(sentences, batch_size=2)
batch = next(iter(loader))  # error: RuntimeError: stack expects each tensor to be equal size, but got [4] at entry 0 and [2] at entry 1
