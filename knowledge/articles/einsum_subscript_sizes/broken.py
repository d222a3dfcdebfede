import torch

left, right = torch.rand(5, 4), torch.rand(5, 3)
product = torch.einsum("ij,jk->ik", left, right)  # error: RuntimeError: einsum(): subscript j has size 5 for operand 1 which does not broadcast with previously seen size 4
