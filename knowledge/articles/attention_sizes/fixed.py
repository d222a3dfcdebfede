import torch
from torch import nn

attention = nn.MultiheadAttention(embed_dim=48, num_heads=4, batch_first=True)
tokens = torch.randn(2, 10, 48)
mixed, weights = attention(tokens, tokens, tokens)
assert mixed.shape == (2, 10, 48) and weights.shape == (2, 10, 10)
