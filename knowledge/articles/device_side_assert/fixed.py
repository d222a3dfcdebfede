import torch
import torch.nn.functional as F

scores = torch.randn(4, 4)  # as many scores as the labels have classes
labels = torch.tensor([0, 1, 2, 3])
assert 0 <= labels.min() and labels.max() < scores.size(1)
loss = F.cross_entropy(scores, labels)
