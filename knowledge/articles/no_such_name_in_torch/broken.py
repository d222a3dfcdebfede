import torch

counts = torch.zeros(3)
labels = torch.tensor([0, 2, 2])
torch.scatter_add_(counts, 0, labels, torch.ones(3))  # error: AttributeError: module 'torch' has no attribute 'scatter_add_'
print(counts)
