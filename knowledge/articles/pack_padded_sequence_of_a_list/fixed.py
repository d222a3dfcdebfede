import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

songs = [torch.randn(4, 3), torch.randn(2, 3)]
lengths = torch.tensor([4, 2])
pack_padded_sequence(pad_sequence(songs, batch_first=True), lengths, batch_first=True)
