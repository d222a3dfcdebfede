import torch

positions = torch.tensor([[0, 2], [1, 0], [2, 1]])
values = torch.tensor([1.0, 2.0, 3.0])
torch.sparse_coo_tensor(positions.t(), values, (3, 3))
