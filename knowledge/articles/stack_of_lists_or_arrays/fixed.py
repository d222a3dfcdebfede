import torch

rows = [[1, 2], [3, 4]]
torch.tensor(rows)
