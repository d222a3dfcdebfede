import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(4, 1, batch_first=True)
x = torch.rand(1, 3, 4)
mask = torch.ones(3, 3).tril().bool()
seen = attention(x, x, x, attn_mask=mask)[1][0]
assert seen[0, 2] == 0, "the first position sees the last one"
