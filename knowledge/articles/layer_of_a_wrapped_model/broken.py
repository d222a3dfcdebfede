import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)


model = nn.DataParallel(Net())
weight = model.fc.weight  # error: AttributeError: 'DataParallel' object has no attribute 'fc'
