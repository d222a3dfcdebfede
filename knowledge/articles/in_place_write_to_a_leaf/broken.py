import torch

weights = torch.tensor([1.0, 2.0], requires_grad=True)
weights.square().sum().backward()
weights -= 0.1 * weights.grad  # error: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
