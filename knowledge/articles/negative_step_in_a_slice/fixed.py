import torch

days = torch.arange(5)
print(days.flip(0))
