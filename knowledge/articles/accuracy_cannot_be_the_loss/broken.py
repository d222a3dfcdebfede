import torch

w = torch.tensor([0.3], requires_grad=True)
loss = (torch.round(w) - 1.0).pow(2).sum()
loss.backward()
assert w.grad.abs().item() > 0
