import torch
import torch.nn.functional as F

scores = torch.randn(4, 3)
targets = F.one_hot(torch.tensor([0, 2, 1, 0]), num_classes=3)
loss = F.cross_entropy(scores, targets)  # error: RuntimeError: Expected floating point type for target with class probabilities, got Long
