import torch

x = torch.tensor([0.3, -0.2, 0.9])
inside = x > 0
outside = 1 - inside  # error: RuntimeError: Subtraction, the `-` operator, with a bool tensor is not supported.
