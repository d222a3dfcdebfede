import torch
from torch import nn

seen = []


def keep(module, inputs, output):
    seen.append(output.detach())


layer = nn.Linear(3, 2)
layer.register_forward_hook(keep)
layer(torch.randn(1, 3))
layer.remove_forward_hook(keep)  # error: AttributeError: 'Linear' object has no attribute 'remove_forward_hook'
