import torch

weight = torch.ones(3, requires_grad=True).to(torch.float64)
weight.sum().backward()
assert weight.is_leaf and weight.grad is not None, "this is the result of `to`, and no leaf"
