import torch

rotation = torch.eye(3)
points = torch.rand(5, 3, 1)
rotated = torch.matmul(rotation, points)
assert rotated.shape == (5, 3, 1)
