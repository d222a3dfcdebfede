import torch
import torch.nn.functional as F

volume = torch.rand(3, 4, 5)
padded = F.pad(volume, (1, 1, 0, 0, 0, 2))
assert padded.shape == (5, 4, 7)
