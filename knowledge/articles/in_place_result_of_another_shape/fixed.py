import torch

image = torch.rand(1, 28, 28)
mean = torch.tensor([0.5]).view(1, 1, 1)
image -= mean
