import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(3)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


model = Net()
model(torch.ones(2, 8))
assert len(list(model.parameters())) == 6
