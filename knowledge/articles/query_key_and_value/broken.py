import torch
from torch import nn

attention = nn.MultiheadAttention(8, num_heads=2, batch_first=True)
decoder, encoder = torch.randn(3, 4, 8), torch.randn(3, 6, 8)
out, weights = attention(encoder, decoder, decoder)  # the encoder asks
assert out.shape == decoder.shape, f"no result for each step of the decoder: {tuple(out.shape)}"
