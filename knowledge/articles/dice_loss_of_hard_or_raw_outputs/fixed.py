import torch

logits = torch.tensor([-4.0, -4.0, -4.0, 4.0])
target = torch.tensor([0.0, 0.0, 0.0, 1.0])
p = logits.sigmoid()
loss = 1 - 2 * (p * target).sum() / (p.sum() + target.sum())
assert 0 <= loss <= 0.1, "a nearly perfect prediction"
