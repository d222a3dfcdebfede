import torch
from torch import nn

seen = []
layer = nn.Linear(2, 1)
layer.register_forward_hook(lambda module, inputs, output: seen.append(output.shape))
layer(torch.ones(3, 2))
assert len(seen) == 1
