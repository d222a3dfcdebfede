import torch
from torch import nn

seen = []


def keep(module, inputs, output):
    seen.append(output.detach())


layer = nn.Linear(3, 2)
handle = layer.register_forward_hook(keep)
layer(torch.randn(1, 3))
handle.remove()
