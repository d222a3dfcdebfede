import torch
from torch import nn


class Flip(nn.Module):
    def forward(self, x):
        if x.sum() > 0:  # error: GuardOnDataDependentSymNode: Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).
            return x
        return -x


torch.export.export(Flip(), (torch.ones(3),))
