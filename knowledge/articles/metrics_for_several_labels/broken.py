import torch

torch.manual_seed(0)
said, true = torch.rand(64, 5) > 0.6, torch.rand(64, 5) > 0.9
each = []
for s, t in zip(said.split(8), true.split(8)):
    right, wrong, missed = (s & t).sum(0), (s & ~t).sum(0), (~s & t).sum(0)
    each.append(2 * right / (2 * right + wrong + missed).clamp(min=1))
f1 = torch.stack(each).mean(dim=0)
right = (said & true).sum(dim=0)
assert torch.allclose(f1, 2 * right / (said.sum(dim=0) + true.sum(dim=0)))
