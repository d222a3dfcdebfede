import torch

x = torch.tensor([0.3, -0.2, 0.9])
inside = x > 0
outside = ~inside
