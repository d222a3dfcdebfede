import torch
import torch.nn.functional as F

score = torch.tensor([12.0], requires_grad=True)
label = torch.tensor([0.0])
p = score.half().sigmoid()  # as autocast computes it
F.binary_cross_entropy(p.float(), label).backward()
assert score.grad.isfinite().all()
