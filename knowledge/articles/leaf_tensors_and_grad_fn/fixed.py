import torch

weight = torch.ones(3, dtype=torch.float64, requires_grad=True)
weight.sum().backward()
assert weight.is_leaf and weight.grad is not None, "this is the result of `to`, and no leaf"
