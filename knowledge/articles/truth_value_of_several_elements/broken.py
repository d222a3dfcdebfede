import torch

x = torch.tensor([0.5, -0.5])
if x > 0:  # error: RuntimeError: Boolean value of Tensor with more than one value is ambiguous
    print("positive")
