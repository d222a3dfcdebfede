import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()  # backward of exp needs y
y.detach().zero_()
try:
    y.sum().backward()
    noticed = False
except RuntimeError:
    noticed = True
assert noticed, f"the gradient of exp is {x.grad.tolist()}, and nothing was said"
