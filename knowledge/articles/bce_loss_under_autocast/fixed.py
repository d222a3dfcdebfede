import torch
import torch.nn.functional as F

score = torch.tensor([12.0], requires_grad=True)
label = torch.tensor([0.0])
F.binary_cross_entropy_with_logits(score, label).backward()
assert score.grad.isfinite().all()
