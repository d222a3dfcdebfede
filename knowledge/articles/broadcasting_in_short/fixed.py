import torch

x = torch.ones(3, 3)
factors = torch.tensor([1.0, 2.0, 3.0])
scaled = x * factors[:, None]
assert scaled[1].tolist() == [2, 2, 2], "the factors went along the columns"
