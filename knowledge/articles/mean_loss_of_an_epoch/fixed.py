import torch

errors = torch.tensor([1.0, 1.0, 4.0])
batches = errors.split(2)
mean = sum(b.mean().item() * len(b) for b in batches) / len(errors)
assert mean == errors.mean().item()
