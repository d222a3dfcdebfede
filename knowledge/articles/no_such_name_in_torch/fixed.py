import torch

counts = torch.zeros(3)
labels = torch.tensor([0, 2, 2])
counts.scatter_add_(0, labels, torch.ones(3))
print(counts)
