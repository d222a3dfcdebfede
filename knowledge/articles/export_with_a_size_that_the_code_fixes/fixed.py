import torch
from torch import nn


class Rows(nn.Module):
    def forward(self, x):
        return x.view(x.shape[0], -1)


batch = torch.export.Dim("batch")
torch.export.export(Rows(), (torch.ones(4, 2, 3),), dynamic_shapes={"x": {0: batch}})
