import torch

device = torch.device("cuda:1")
x = torch.ones(3, device=device)  # error: AcceleratorError: CUDA error: invalid device ordinal
