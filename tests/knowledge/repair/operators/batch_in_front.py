"""batch-in-front: one picture gets its batch in the first place."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

IN_PLACE = """\
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU())
picture = torch.rand(3, 16, 16)
picture.unsqueeze_(1)
print(net(picture).shape)
"""

NEW_NAME = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3)

    def forward(self, x):
        return self.conv(x)


net = Net()
sample = torch.rand(3, 16, 16)
sample = sample.unsqueeze(dim=1)
print(sample.shape)
print(net(sample).shape)
"""

SERIES = """\
import torch
from torch import nn

net = nn.Conv1d(4, 6, 3)
series = torch.rand(4, 20)
series = series.unsqueeze(1)
print(net(series).shape)
"""

TWO = """\
import torch
from torch import nn

net = nn.Conv2d(4, 8, 3, groups=2)
x = torch.rand(4, 16, 16)
if x.dim() == 3:
    x = x.unsqueeze(1)
else:
    x = x.unsqueeze(1)[0]
print(net(x).shape)
"""

GRAY = """\
import torch
from torch import nn

net = nn.Conv2d(4, 8, 3, groups=2)
batch = torch.rand(8, 16, 16)
batch = batch.unsqueeze(1)
print(net(batch).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "in place": (IN_PLACE, ("picture.unsqueeze_(0)",)),
        "a new name": (NEW_NAME, ("sample = sample.unsqueeze(dim=0)",)),
        "a series": (SERIES, ("series = series.unsqueeze(0)",)),
    },
    refused={"either of two": TWO, "a batch of gray pictures": GRAY},
    wrong={
        "thrown away": ("in place", swap("picture.unsqueeze_(1)", "picture = picture[:1]")),
        "repeated": ("in place", swap("net(picture)", "net(picture.expand(3, 3, 16, 16))")),
        "swallowed": ("in place", swallow("print(net(picture).shape)")),
        "left out": ("a new name", delete("print(net(sample).shape)")),
    },
)
