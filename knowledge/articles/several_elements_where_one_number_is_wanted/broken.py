import torch

losses = torch.tensor([0.5, 0.25])
losses.item()  # error: RuntimeError: a Tensor with 2 elements cannot be converted to Scalar
