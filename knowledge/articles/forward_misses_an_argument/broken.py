import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


scores = Net.forward(torch.rand(1, 4))  # error: TypeError: Net.forward() missing 1 required positional argument: 'x'
