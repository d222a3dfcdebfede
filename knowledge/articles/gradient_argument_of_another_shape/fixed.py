import torch

x = torch.rand(2, 3, requires_grad=True)
y = x.square().sum(dim=1)
y.backward(torch.ones_like(y))
