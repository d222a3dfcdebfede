import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)


def loss_of_one(parameters, x, y):
    prediction = functional_call(model, parameters, (x.unsqueeze(0),))
    return nn.functional.mse_loss(prediction, y.unsqueeze(0))


parameters = {name: p.detach() for name, p in model.named_parameters()}
gradient = vmap(grad(loss_of_one), in_dims=(None, 0, 0))(parameters, x, y)["weight"]
assert gradient.shape == (8, 1, 3)
