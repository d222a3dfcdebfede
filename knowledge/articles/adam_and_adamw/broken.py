import torch

weight = torch.full((1,), 20.0, requires_grad=True)
optimizer = torch.optim.Adam([weight], lr=0.1, weight_decay=0.1)
(100 * weight).sum().backward()
optimizer.step()
assert torch.allclose(weight, torch.tensor([20.0 * (1 - 0.1 * 0.1) - 0.1]))
