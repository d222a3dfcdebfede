import torch
from torch import nn


class Rows(nn.Module):
    def forward(self, x):
        return x.view(4, -1)


batch = torch.export.Dim("batch")
torch.export.export(Rows(), (torch.ones(4, 2, 3),), dynamic_shapes={"x": {0: batch}})  # error: UserError: Constraints violated (batch)! For more information, run with TORCH_LOGS="+dynamic".
