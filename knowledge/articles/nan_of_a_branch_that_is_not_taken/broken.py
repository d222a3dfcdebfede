import torch

u, v = torch.tensor(2.0, requires_grad=True), torch.tensor(0.0)
z = torch.zeros(2)
z[0] = u / v * v
z[1] = u + v
z[1].backward()
assert torch.isfinite(u.grad), "the other element's NaN came back"
