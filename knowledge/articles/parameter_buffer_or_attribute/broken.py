import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.mean = torch.zeros(2)


assert set(Scale().state_dict()) == {"weight", "mean"}, "the mean is not saved"
