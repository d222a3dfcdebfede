import torch

points = torch.rand(6, 2, requires_grad=True)
u = points[:, 0] ** 3 * points[:, 1]
(g,) = torch.autograd.grad(u.sum(), points, create_graph=True)
u_xx = torch.autograd.grad(g.sum(), points)[0][:, 0]
assert torch.allclose(u_xx, 6 * points[:, 0] * points[:, 1])
