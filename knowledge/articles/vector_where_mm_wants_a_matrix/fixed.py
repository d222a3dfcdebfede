import torch

a = torch.eye(3)
x = torch.ones(3)
torch.matmul(a, x)
