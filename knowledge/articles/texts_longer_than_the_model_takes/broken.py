import torch
from torch import nn

tokens = torch.randint(0, 1000, (1, 734))
words, positions = nn.Embedding(1000, 8), nn.Embedding(512, 8)
try:
    out = words(tokens) + positions(torch.arange(tokens.shape[1]))
except IndexError:
    out = None
assert out is not None, "there is no row for position 512"
