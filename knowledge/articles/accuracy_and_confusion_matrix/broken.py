import torch

predicted = torch.tensor([1, 1, 1, 1, 0])
labels = torch.tensor([1, 1, 1, 1, 1])
batches = list(zip(predicted.split(4), labels.split(4)))
accuracy = sum((p == y).float().mean().item() for p, y in batches) / len(batches)
assert abs(accuracy - 0.8) < 1e-6, "4 of 5 are right"
