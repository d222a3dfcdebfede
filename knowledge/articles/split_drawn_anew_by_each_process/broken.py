import torch
from torch.utils.data import random_split

parts = []
for number in range(2):
    torch.manual_seed(1234 + number)
    parts.append(random_split(range(100), [80, 20])[1].indices)
assert parts[0] == parts[1], "the processes hold out different samples"
