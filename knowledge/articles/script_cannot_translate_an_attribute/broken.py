import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


torch.jit.script(Net())  # error: RuntimeError: Module 'Net' has no attribute 'layers' (This attribute exists on the Python module, but we failed to convert Python type: 'list' to a TorchScript type.
