import torch

x = torch.tensor(2.0, requires_grad=True)
(slope,) = torch.autograd.grad(x**3, x)
assert slope.requires_grad
