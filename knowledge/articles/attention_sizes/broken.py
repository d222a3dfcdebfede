import torch
from torch import nn

attention = nn.MultiheadAttention(embed_dim=64, num_heads=4, batch_first=True)
tokens = torch.randn(2, 10, 48)
mixed, weights = attention(tokens, tokens, tokens)  # error: AssertionError: was expecting embedding dimension of 64, but got 48
