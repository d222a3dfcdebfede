import torch
import torch.nn.functional as F

scores = torch.randn(8, 5)  # 8 samples, 5 classes
labels = torch.randint(0, 5, (8, 1))  # a column, as it comes from a table
loss = F.cross_entropy(scores, labels.squeeze(1))
assert loss.isfinite()
