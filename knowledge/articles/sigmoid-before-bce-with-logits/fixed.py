import torch
from torch import nn

model = nn.Identity()  # it hands on its score
loss = nn.functional.binary_cross_entropy_with_logits(model(torch.tensor([-20.0])), torch.zeros(1))
assert loss < 0.01
