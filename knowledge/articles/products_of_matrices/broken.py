import torch

a = torch.tensor([[1, 2], [3, 4]])
identity = torch.eye(2, dtype=torch.int64)
product = a * identity
assert torch.equal(product, a), "a matrix times the identity is the matrix"
