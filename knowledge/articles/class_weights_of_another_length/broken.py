import torch
from torch import nn

scores = torch.rand(4, 3)
labels = torch.tensor([0, 1, 1, 0])
weight = 1 / torch.bincount(labels).clamp(min=1)
loss = nn.functional.cross_entropy(scores, labels, weight=weight)  # error: RuntimeError: weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: [2]
