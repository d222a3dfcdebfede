import torch
from torch.autograd.functional import vjp

x = torch.tensor([0.0, 1.0])
_, product = vjp(torch.sin, x, torch.ones(2))
assert torch.allclose(product, torch.cos(x))
