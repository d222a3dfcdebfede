import torch
from torch.nn.utils.rnn import pack_padded_sequence

batch = torch.rand(2, 5, 3)
lengths = torch.tensor([[5], [3]])
packed = pack_padded_sequence(batch, lengths.flatten().cpu(), batch_first=True)
