"""layer-rank: a normalization or a pooling for the dimensions that come in."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

IMAGES = """\
import torch
from torch import nn

stem = nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm1d(6), nn.ReLU())
print(stem(torch.rand(2, 3, 9, 9)).shape)
"""

ROWS = """\
import torch
import torch.nn as nn


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Conv1d(4, 6, 3)
        self.norm = nn.BatchNorm3d(6)

    def forward(self, x):
        return self.norm(self.linear(x))


print(Rows()(torch.rand(5, 4, 8)).shape)
"""

VOLUMES = """\
import torch
from torch import nn

scan = torch.rand(2, 1, 6, 6, 6)
layer = nn.Conv3d(1, 4, 3)
norm = nn.InstanceNorm2d(4, affine=True)
print(norm(layer(scan)).shape)
"""

FLAT = """\
import torch
from torch import nn

norm = nn.BatchNorm2d(6)
print(norm(torch.rand(5, 6)).shape)
"""

CONVOLUTION = """\
import torch
from torch import nn

layer = nn.Conv1d(3, 6, 3)
print(layer(torch.rand(2, 3, 9, 9)).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "images": (IMAGES, ("nn.BatchNorm2d(6)",)),
        "sequences": (ROWS, ("nn.BatchNorm1d(6)",)),
        "volumes": (VOLUMES, ("nn.InstanceNorm3d(4, affine=True)",)),
    },
    refused={"rows without a place": FLAT, "a convolution": CONVOLUTION},
    wrong={
        "nothing normalized": ("images", swap("nn.BatchNorm1d(6)", "nn.Identity()")),
        "swallowed": ("images", swallow("print(stem(torch.rand(2, 3, 9, 9)).shape)")),
        "deleted": ("images", delete("print(stem(torch.rand(2, 3, 9, 9)).shape)")),
        "left out": ("sequences", swap("self.norm(self.linear(x))", "self.linear(x)")),
    },
)
