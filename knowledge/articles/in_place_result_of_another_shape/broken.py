import torch

image = torch.rand(1, 28, 28)
mean = torch.tensor([0.5, 0.5, 0.5]).view(3, 1, 1)
image -= mean  # error: RuntimeError: output with shape [1, 28, 28] doesn't match the broadcast shape [3, 28, 28]
