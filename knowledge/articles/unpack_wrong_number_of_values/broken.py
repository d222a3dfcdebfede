import torch
from torch.autograd.functional import vjp

x = torch.tensor([0.0, 1.0])
(product,) = vjp(torch.sin, x, torch.ones(2))  # error: ValueError: too many values to unpack (expected 1)
