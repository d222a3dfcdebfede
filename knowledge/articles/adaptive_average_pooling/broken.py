import torch
from torch import nn

pool = nn.AvgPool2d(7)  # its window is fixed
shapes = [tuple(pool(torch.ones(1, 512, n, n)).shape[2:]) for n in (7, 14)]
assert shapes == [(1, 1), (1, 1)], f"the sizes after pooling are {shapes}"
