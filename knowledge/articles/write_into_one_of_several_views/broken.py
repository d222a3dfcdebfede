import torch

x = torch.ones(3, 2, requires_grad=True) * 1
for row in x:
    row.mul_(2)  # error: RuntimeError: Output 0 of Unbind is a view and is being modified inplace.
