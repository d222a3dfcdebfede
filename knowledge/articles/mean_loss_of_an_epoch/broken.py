import torch

errors = torch.tensor([1.0, 1.0, 4.0])
batches = errors.split(2)
mean = sum(b.mean().item() for b in batches) / len(batches)
assert mean == errors.mean().item()
