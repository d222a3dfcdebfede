import torch

w = torch.tensor([2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
(w * 1.0).sum().backward()
optimizer.step()
assert abs(w.item() - (2.0 - 0.1 * (1.0 + 0.5 * 2.0))) < 1e-6
