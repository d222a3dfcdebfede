import torch

x = torch.ones(3, 2, requires_grad=True) * 1
x = torch.stack([row * 2 for row in x])
x.sum().backward()
