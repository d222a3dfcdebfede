import torch
from torch import nn

image = torch.rand(2, 3, 64, 64)
mask = torch.randint(0, 4, (2, 64, 64))
scores = nn.Conv2d(3, 4, 3, stride=2, padding=1)(image)
loss = nn.functional.cross_entropy(scores, mask)  # error: RuntimeError: size mismatch (got input: [2, 4, 32, 32] , target: [2, 64, 64]
