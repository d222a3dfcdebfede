import torch

images = torch.ones(4, 2, 3)
torch.cat(tuple(images), dim=0)
