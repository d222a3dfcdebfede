import torch
import torch.nn.functional as F

image = torch.randn(1, 3, 8, 8)
points = torch.rand(1, 2, 4, 5) * 2 - 1
F.grid_sample(image, points.permute(0, 2, 3, 1), align_corners=False)
