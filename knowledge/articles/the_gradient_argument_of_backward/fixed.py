import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
y.backward(torch.tensor([0.0, 0.0, 1.0]))
assert x.grad.tolist() == [0.0, 0.0, 6.0], f"the gradient of y[2] alone is not {x.grad.tolist()}"
