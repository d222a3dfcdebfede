import torch

features = torch.randn(8, 5)
weight_per_sample = torch.rand(8)
weighted = features * weight_per_sample  # error: RuntimeError: The size of tensor a (5) must match the size of tensor b (8) at non-singleton dimension 1
