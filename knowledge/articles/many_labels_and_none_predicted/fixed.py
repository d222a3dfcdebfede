import torch

probabilities = torch.tensor([[0.04, 0.01, 0.01, 0.01], [0.01, 0.01, 0.05, 0.01]])
labels = torch.tensor([[1, 0, 0, 0], [0, 0, 1, 0]])


def f1_of(predicted: torch.Tensor) -> torch.Tensor:
    right = (predicted & (labels == 1)).sum()
    return 2 * right / (predicted.sum() + labels.sum())


thresholds = torch.linspace(0.0, 0.5, 51)
threshold = thresholds[torch.stack([f1_of(probabilities > t) for t in thresholds]).argmax()]
found = (probabilities > threshold) & (labels == 1)
assert found.sum() == labels.sum(), "the true labels should be found"
