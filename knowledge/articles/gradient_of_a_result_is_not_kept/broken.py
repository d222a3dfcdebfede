import torch

weight = torch.ones(3, requires_grad=True)
for _ in range(2):
    weight.grad.zero_()  # error: AttributeError: 'NoneType' object has no attribute 'zero_'
    weight.square().sum().backward()
