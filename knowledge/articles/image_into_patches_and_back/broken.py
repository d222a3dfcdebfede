import torch

x = torch.rand(2, 3, 64, 96)
patches = x.reshape(2, -1, 3, 16, 16)
assert torch.equal(patches[:, 1], x[:, :, :16, 16:32]), "the second patch is right of the first"
