import torch
from torch import nn

scores, y = torch.tensor([[0.2, 0.3, 0.5], [0.5, 0.2, 0.3]]), torch.tensor([2, 1])
w = torch.tensor([2.0, 4.0, 6.0])
losses = nn.CrossEntropyLoss(weight=w, reduction="none")(scores, y)
mean = losses.mean()
assert torch.isclose(mean, losses.mean()), "it is not the mean of the losses"
