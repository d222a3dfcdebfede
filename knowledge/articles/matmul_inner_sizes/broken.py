import torch

queries = torch.randn(5, 16)
keys = torch.randn(7, 16)
similarity = queries @ keys  # error: RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x16 and 7x16)
