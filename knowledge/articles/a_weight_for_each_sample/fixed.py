import torch
from torch import nn

scores = torch.tensor([[0.0, 0.0], [0.0, 3.0]])
labels, weights = torch.tensor([0, 0]), torch.tensor([1.0, 0.0])
loss = (nn.functional.cross_entropy(scores, labels, reduction="none") * weights).sum()
assert torch.isclose(loss, torch.tensor(2.0).log()), "the second sample has weight 0 and counts"
