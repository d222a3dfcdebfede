import torch
from torch import nn

torch.manual_seed(0)
x, w = torch.randn(128, 5), torch.randn(5, requires_grad=True)
(whole,) = torch.autograd.grad((x @ w).pow(2).mean(), w)
parts = [torch.autograd.grad((part @ w).pow(2).mean(), w)[0] for part in x.split(32)]
of_four = sum(parts)
assert torch.allclose(of_four, whole, atol=1e-5), "four processes give another gradient than one"
