import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
nn.functional.mse_loss(model(x), y).backward()
gradient = model.weight.grad
assert gradient.shape == (8, 1, 3)
