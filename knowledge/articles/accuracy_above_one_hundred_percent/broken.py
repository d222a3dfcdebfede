import torch

scores = torch.tensor([[2.0], [-1.0], [3.0], [-2.0]])
labels = torch.tensor([1.0, 0.0, 1.0, 0.0])
predicted = (scores > 0).float()
accuracy = (predicted == labels).sum() / len(labels)
assert accuracy == 1
