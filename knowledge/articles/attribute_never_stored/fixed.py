import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.rnn = nn.GRU(3, width)

    def forward(self, x):
        start = torch.zeros(1, x.shape[1], self.width)
        return self.rnn(x, start)[0]


Net(4)(torch.randn(5, 2, 3))
