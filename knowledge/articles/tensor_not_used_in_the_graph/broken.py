import torch
from torch import nn

model = nn.Linear(2, 1)
x = torch.rand(4, 2)
y = model(x).sum()
x.requires_grad_()
torch.autograd.grad(y, x)  # error: RuntimeError: The differentiated Tensor at index 0 appears to not have been used in the graph.
