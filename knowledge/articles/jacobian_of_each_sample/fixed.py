import torch
from torch import nn
from torch.func import jacrev, vmap

torch.manual_seed(0)
f = nn.Sequential(nn.Linear(7, 16), nn.Tanh(), nn.Linear(16, 3))
x = torch.randn(5, 7)
jacobians = vmap(jacrev(f))(x)
x.requires_grad_()
y = f(x)
rows = [torch.autograd.grad(y[:, j].sum(), x, retain_graph=True)[0] for j in range(3)]
assert torch.allclose(jacobians, torch.stack(rows, dim=1), atol=1e-6)
assert jacobians.shape == (5, 3, 7)
