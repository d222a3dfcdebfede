import torch

u, v = torch.tensor(2.0, requires_grad=True), torch.tensor(0.0)
z = torch.zeros(2)
z[0] = torch.where(v == 0, torch.tensor(float("nan")), u / torch.where(v == 0, 1.0, v) * v)
z[1] = u + v
z[1].backward()
assert torch.isfinite(u.grad), "the other element's NaN came back"
