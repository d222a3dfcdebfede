import torch
from torch.nn.utils.rnn import pack_padded_sequence

songs = [torch.randn(4, 3), torch.randn(2, 3)]
lengths = torch.tensor([4, 2])
pack_padded_sequence(songs, lengths, batch_first=True)  # error: TypeError: _pack_padded_sequence(): argument 'input' (position 1) must be Tensor, not list
