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


model = Net()
torch.optim.Adam(model.parameters())  # error: ValueError: optimizer got an empty parameter list
