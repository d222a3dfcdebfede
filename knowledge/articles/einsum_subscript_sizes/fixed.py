import torch

left, right = torch.rand(5, 4), torch.rand(5, 3)
product = torch.einsum("ji,jk->ik", left, right)
assert torch.allclose(product, left.T @ right)
