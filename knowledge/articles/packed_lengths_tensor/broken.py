import torch
from torch.nn.utils.rnn import pack_padded_sequence

batch = torch.rand(2, 5, 3)
lengths = torch.tensor([[5], [3]])
packed = pack_padded_sequence(batch, lengths, batch_first=True)  # error: RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 2D cpu Long tensor
