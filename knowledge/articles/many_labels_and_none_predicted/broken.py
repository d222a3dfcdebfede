import torch

probabilities = torch.tensor([[0.04, 0.01, 0.01, 0.01], [0.01, 0.01, 0.05, 0.01]])
labels = torch.tensor([[1, 0, 0, 0], [0, 0, 1, 0]])
threshold = 0.5
found = (probabilities > threshold) & (labels == 1)
assert found.sum() == labels.sum(), "the true labels should be found"
