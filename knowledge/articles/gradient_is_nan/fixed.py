import torch

a = torch.zeros(2, 3, requires_grad=True)
b = torch.zeros(2, 3)
with torch.autograd.set_detect_anomaly(True):
    distance = torch.sqrt((a - b).square().sum(dim=1) + 1e-12)
    distance.sum().backward()
assert a.grad.isfinite().all()
