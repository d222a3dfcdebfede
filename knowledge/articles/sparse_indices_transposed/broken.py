import torch

positions = torch.tensor([[0, 2], [1, 0], [2, 1]])
values = torch.tensor([1.0, 2.0, 3.0])
torch.sparse_coo_tensor(positions, values, (3, 3))  # error: RuntimeError: 'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = 2, sparse_dim = 3, dense_dim = 0
