import torch
import torch.nn.functional as F

w = torch.ones(1, requires_grad=True)
x, y = torch.ones(64), torch.zeros(64)
F.mse_loss(w * x, y, reduction="mean").backward()
assert w.grad.item() == 2.0, f"the gradient of 64 samples is {w.grad.item()}"
