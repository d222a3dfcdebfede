import torch
from torch import nn


class Noisy(nn.Module):
    def forward(self, x):
        self.noise = torch.randn_like(x)
        return x


x = torch.ones(4, 3, device="cuda")
model = Noisy().to("cuda")
model(x)
assert model.noise.device == x.device
