import torch
from torch import nn

targets = torch.zeros(1000, 4)
for label, count in enumerate((600, 550, 200, 100)):
    targets[:count, label] = 1
scores = torch.zeros(1000, 4, requires_grad=True)
nn.BCEWithLogitsLoss(weight=1 / targets.sum(dim=0))(scores, targets).backward()
pull = scores.grad.sum(dim=0)
assert pull.abs().max() < 1e-6, "the yes and the no of each label pull alike"
