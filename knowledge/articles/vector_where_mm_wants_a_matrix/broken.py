import torch

a = torch.eye(3)
x = torch.ones(3)
torch.mm(a, x)  # error: RuntimeError: mat2 must be a matrix
