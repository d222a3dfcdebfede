import torch
from torch import nn
from torch.func import functional_call, hessian

torch.manual_seed(0)
model, x, y = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(9, 3), torch.randn(9, 1)
loss_fn = nn.functional.mse_loss
names, sizes = zip(*((n, p.shape) for n, p in model.named_parameters()))
weights = nn.utils.parameters_to_vector(model.parameters()).detach()


def loss_of(vector):
    parts = vector.split([s.numel() for s in sizes])
    given = {n: part.view(s) for n, part, s in zip(names, parts, sizes)}
    return loss_fn(functional_call(model, given, (x,)), y)


matrix, v = hessian(loss_of)(weights), torch.randn(len(weights))
parameters = list(model.parameters())
gradient = torch.autograd.grad(loss_fn(model(x), y), parameters, create_graph=True)
dot = torch.cat([g.flatten() for g in gradient]) @ v
product = torch.cat([h.flatten() for h in torch.autograd.grad(dot, parameters, retain_graph=True)])
assert torch.allclose(product, matrix @ v, atol=1e-4)
assert dot.requires_grad, "the gradient can be derived once more"
