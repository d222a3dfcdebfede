import torch
from torch import nn

score = torch.tensor([-20.0], requires_grad=True)  # of a model that is sure of "no"
output = torch.sigmoid(score)
loss = nn.functional.binary_cross_entropy_with_logits(output, torch.zeros(1))
loss.backward()
assert loss < 0.01
