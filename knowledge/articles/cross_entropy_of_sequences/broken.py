import torch
from torch.nn import functional as F

torch.manual_seed(0)
logits, targets = torch.randn(2, 5, 5), torch.randint(5, (2, 5))  # [batch, time, classes]
loss = F.cross_entropy(logits, targets)
assert torch.isclose(loss, F.cross_entropy(logits.flatten(0, 1), targets.flatten()))
