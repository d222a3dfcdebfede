import torch

rotation = torch.eye(3)
points = torch.rand(5, 3, 1)
rotated = torch.bmm(rotation, points)  # error: RuntimeError: batch1 must be a 3D tensor
