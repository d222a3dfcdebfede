import torch
from torch import nn

model = nn.Sigmoid()  # a model that is sure of "no"
loss = nn.functional.binary_cross_entropy_with_logits(model(torch.tensor([-20.0])), torch.zeros(1))
assert loss < 0.01
