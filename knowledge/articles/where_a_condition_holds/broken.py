import torch

x = torch.tensor([[0.1, 0.2], [0.9, 0.8]])
rows, columns = (x > 0.5).nonzero()
assert x[rows, columns].tolist() == x[x > 0.5].tolist(), "the places were taken for rows and columns"
