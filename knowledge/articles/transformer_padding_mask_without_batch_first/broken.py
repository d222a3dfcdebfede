import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=8, nhead=2)
words = torch.randn(3, 5, 8)
padding = torch.zeros(3, 5, dtype=torch.bool)
layer(words, src_key_padding_mask=padding)  # error: AssertionError: Expected key_padded_mask.shape[0] to be 5, but got 3
