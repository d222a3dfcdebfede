import torch

torch.tensor([[1, 2], [3]])  # error: ValueError: expected sequence of length 2 at dim 1 (got 1)
