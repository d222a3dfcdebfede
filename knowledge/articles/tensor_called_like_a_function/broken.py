import torch

table = torch.tensor([[1, 2], [3, 4]])
print(table(0, 1))  # error: TypeError: 'Tensor' object is not callable
