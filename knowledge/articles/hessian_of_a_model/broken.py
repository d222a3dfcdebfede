import torch
from torch import nn

torch.manual_seed(0)
model, x, y = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(9, 3), torch.randn(9, 1)
gradient = torch.autograd.grad(nn.functional.mse_loss(model(x), y), list(model.parameters()))
dot = torch.cat([g.flatten() for g in gradient]).sum()
assert dot.requires_grad, "the gradient can be derived once more"
