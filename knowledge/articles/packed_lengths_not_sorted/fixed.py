import torch
from torch.nn.utils.rnn import pack_padded_sequence

batch = torch.rand(3, 5, 2)
lengths = torch.tensor([2, 5, 4])
packed = pack_padded_sequence(batch, lengths, batch_first=True, enforce_sorted=False)
