import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 2)

    def forward(self, x):
        return self.second(self.first(x))


model = Net().eval()
x = torch.ones(1, 4)
assert torch.equal(model(x), model(x))
