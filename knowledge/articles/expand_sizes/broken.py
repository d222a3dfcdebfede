import torch

bias = torch.randn(3)
table = bias.expand(3, 5)  # error: RuntimeError: The expanded size of the tensor (5) must match the existing size (3) at non-singleton dimension 1.
