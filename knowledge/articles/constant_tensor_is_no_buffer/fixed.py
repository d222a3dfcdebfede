import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.5]))

    def forward(self, x):
        return x - self.mean


model = Scale().double()
assert model.mean.dtype == torch.float64 and "mean" in model.state_dict()
