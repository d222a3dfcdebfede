import torch
from torch import nn

tokens = torch.randint(0, 1000, (1, 734))
words, positions = nn.Embedding(1000, 8), nn.Embedding(512, 8)
windows = tokens.split(512, dim=1)
out = [words(part) + positions(torch.arange(part.shape[1])) for part in windows]
assert out is not None, "there is no row for position 512"
