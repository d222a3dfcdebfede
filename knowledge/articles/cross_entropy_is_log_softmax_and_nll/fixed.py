import torch
from torch import nn

torch.manual_seed(0)
scores, labels = torch.randn(6, 3), torch.tensor([0, 1, 2, 0, 1, 2])
loss = nn.NLLLoss()(scores.log_softmax(1), labels)
assert torch.isclose(loss, nn.CrossEntropyLoss()(scores, labels))
