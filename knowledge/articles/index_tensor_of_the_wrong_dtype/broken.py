import torch

table = torch.randn(5, 2)
rows = torch.tensor([0.0, 3.0])
table[rows]  # error: IndexError: tensors used as indices must be long, int, byte or bool tensors
