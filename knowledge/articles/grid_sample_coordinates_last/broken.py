import torch
import torch.nn.functional as F

image = torch.randn(1, 3, 8, 8)
points = torch.rand(1, 2, 4, 5) * 2 - 1
F.grid_sample(image, points, align_corners=False)  # error: RuntimeError: grid_sampler(): expected grid to have size 2 in last dimension, but got grid with sizes [1, 2, 4, 5]
