import torch

weight = torch.ones(3, requires_grad=True)
for _ in range(2):
    weight.grad = None
    weight.square().sum().backward()
