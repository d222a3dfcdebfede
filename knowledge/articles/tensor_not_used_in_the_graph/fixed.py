import torch
from torch import nn

model = nn.Linear(2, 1)
x = torch.rand(4, 2).requires_grad_()
y = model(x).sum()
torch.autograd.grad(y, x)
