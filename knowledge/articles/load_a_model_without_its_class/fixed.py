import io

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


file = io.BytesIO()
torch.export.save(torch.export.export(Net(), (torch.ones(3),)), file)
del Net
file.seek(0)
loaded = torch.export.load(file).module()
assert callable(loaded), "what was loaded is a dictionary, and computes nothing"
