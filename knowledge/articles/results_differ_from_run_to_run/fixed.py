import torch
from torch import nn


def train():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    x = torch.rand(16, 4)
    return model(x).mean()


assert torch.equal(train(), train())
