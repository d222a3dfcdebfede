import torch

torch.manual_seed(0)
said, true = torch.rand(64, 5) > 0.6, torch.rand(64, 5) > 0.9
right = wrong = missed = 0
for s, t in zip(said.split(8), true.split(8)):
    right = right + (s & t).sum(dim=0)
    wrong = wrong + (s & ~t).sum(dim=0)
    missed = missed + (~s & t).sum(dim=0)
f1 = 2 * right / (2 * right + wrong + missed).clamp(min=1)
right = (said & true).sum(dim=0)
assert torch.allclose(f1, 2 * right / (said.sum(dim=0) + true.sum(dim=0)))
