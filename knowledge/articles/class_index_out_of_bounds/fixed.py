import torch
import torch.nn.functional as F

scores = torch.randn(4, 3)  # three classes
labels = torch.tensor([1, 2, 3, 1])
loss = F.cross_entropy(scores, labels - 1)
assert loss.isfinite()
