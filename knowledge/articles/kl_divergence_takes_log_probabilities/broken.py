import torch
from torch import nn

model_says = torch.tensor([[0.5, 0.5]])
target = torch.tensor([[0.3, 0.7]])
loss = nn.functional.kl_div(model_says, target, reduction="batchmean")
assert loss >= 0
