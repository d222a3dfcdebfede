import torch

batch, n_gpus = 16, 4
parts = torch.ones(batch, 3).chunk(n_gpus)
assert len(parts[0]) == 16, "each GPU has as much to do as one had"
