import torch
from torch import nn

model = nn.Softmax(dim=1)  # a perfect model: all its score on the right class
scores = 20 * torch.eye(10)
loss = nn.functional.cross_entropy(model(scores), torch.arange(10))
assert loss < 0.01
