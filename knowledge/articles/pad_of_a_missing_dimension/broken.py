import torch
import torch.nn.functional as F

volume = torch.rand(3, 4, 5)
padded = F.pad(volume, (1, 1, 0, 0, 0, 2, 0, 0))  # error: RuntimeError: Padding length should be less than or equal to two times the input dimension but got padding length 8 and input of dimension 3
