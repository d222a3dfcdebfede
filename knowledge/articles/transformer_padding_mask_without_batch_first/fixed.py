import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
words = torch.randn(3, 5, 8)
padding = torch.zeros(3, 5, dtype=torch.bool)
layer(words, src_key_padding_mask=padding)
