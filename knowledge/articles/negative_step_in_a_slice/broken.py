import torch

days = torch.arange(5)
print(days[::-1])  # error: ValueError: step must be greater than zero
