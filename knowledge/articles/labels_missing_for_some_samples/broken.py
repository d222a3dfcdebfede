import torch
import torch.nn.functional as F

logits = torch.zeros(2, 2, requires_grad=True)
target = torch.tensor([[1.0, float("nan")], [0.0, 1.0]])
there = ~target.isnan()
loss = (F.binary_cross_entropy_with_logits(logits, target, reduction="none") * there).sum()
loss.backward()
assert logits.grad.isfinite().all(), "a missing label makes the gradient NaN"
