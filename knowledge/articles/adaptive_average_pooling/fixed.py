import torch
from torch import nn

pool = nn.AdaptiveAvgPool2d(1)
shapes = [tuple(pool(torch.ones(1, 512, n, n)).shape[2:]) for n in (7, 14)]
assert shapes == [(1, 1), (1, 1)], f"the sizes after pooling are {shapes}"
