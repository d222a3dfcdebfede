import torch
from torch import nn

scores = torch.rand(4, 3)
labels = torch.tensor([0, 1, 1, 0])
weight = 1 / torch.bincount(labels, minlength=3).clamp(min=1)
loss = nn.functional.cross_entropy(scores, labels, weight=weight)
