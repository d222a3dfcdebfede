import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

torch.manual_seed(0)
lstm = nn.LSTM(3, 4, batch_first=True)
long, short = torch.randn(5, 3), torch.randn(2, 3)
padded = pad_sequence([long, short], batch_first=True)
packed = pack_padded_sequence(padded, torch.tensor([5, 2]), batch_first=True, enforce_sorted=False)
_, (state, _) = lstm(packed)
_, (alone, _) = lstm(short.unsqueeze(0))
assert torch.allclose(state[0, 1], alone[0, 0], atol=1e-6), "the short sequence's state is that of padding"
