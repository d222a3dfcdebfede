import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.5, 0.5, 0.5])

    def forward(self, x):
        return x - self.mean


model = Normalize().to("cuda")
assert model.mean.device.type == "cuda" and "mean" in model.state_dict()
