import torch

x = torch.tensor([1, 2, 3], requires_grad=True)  # error: RuntimeError: Only Tensors of floating point and complex dtype can require gradients
