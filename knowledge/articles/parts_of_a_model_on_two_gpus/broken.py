import torch
from torch import nn


class TwoParts(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 2)

    def forward(self, x):
        return self.second(self.first(x).to("cuda")).sum()


model = TwoParts()
model.to("cuda")
assert model.first.weight.device.type == "cpu", "the part that was to stay on the CPU was moved too"
