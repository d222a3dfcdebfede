import torch

weights = torch.tensor([1.0, 2.0], requires_grad=True)
weights.square().sum().backward()
with torch.no_grad():
    weights -= 0.1 * weights.grad
