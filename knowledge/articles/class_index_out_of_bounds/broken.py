import torch
import torch.nn.functional as F

scores = torch.randn(4, 3)  # three classes
labels = torch.tensor([1, 2, 3, 1])
loss = F.cross_entropy(scores, labels)  # error: IndexError: Target 3 is out of bounds.
