import torch
import torch.nn.functional as F
from torch import nn

table = nn.Embedding(5, 3)
ids = torch.tensor([1, 4, 1])
rows = nn.Embedding(5, 3)(ids)  # another table, with random rows of its own
assert torch.allclose(rows, F.one_hot(ids, 5).float() @ table.weight), "these are not the table's rows"
