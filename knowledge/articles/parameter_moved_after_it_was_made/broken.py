import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(5)).to(torch.float64)


model = Scale()
assert [name for name, _ in model.named_parameters()] == ["scale"]
