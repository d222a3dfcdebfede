"""order-of-dims: an order for a sample, where a batch comes in."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BATCH = """\
import torch
from torch import nn

photos = torch.rand(4, 8, 8, 3)
print(nn.Conv2d(3, 2, 3)(photos.permute(2, 0, 1)).shape)
"""

OF_TORCH = """\
import torch

clips = torch.rand(2, 5, 6, 7, 3)
print(torch.permute(clips, (3, 0, 1, 2)).shape)
"""

ONE = """\
import torch
from torch import nn

photo = torch.rand(8, 8, 3)
print(nn.Conv2d(3, 2, 3)(photo.permute(0, 3, 1, 2)).shape)
"""

GREY = """\
import torch
from torch import nn

frames = torch.rand(5, 9, 7)


def sample(i):
    return frames[i].permute(2, 0, 1)


print(nn.Conv2d(1, 2, 3)(torch.stack([sample(0), sample(1)])).shape)
"""

TOO_MANY = """\
import torch

x = torch.rand(4, 3)
print(x.permute(0, 2, 1).shape)
"""

TOO_FEW = """\
import torch

x = torch.rand(2, 3, 4, 5)
print(x.permute(1, 0).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "a batch": (BATCH, ("photos.permute(0, 3, 1, 2)",)),
        "a function": (OF_TORCH, ("clips.permute(0, 4, 1, 2, 3)",)),
        "a picture without channels": (GREY, ("frames[i].unsqueeze(0)",)),
        "one picture": (ONE, ("photo.unsqueeze(0).permute(0, 3, 1, 2)",)),
    },
    refused={"rows turned as series": TOO_MANY, "two dimensions apart": TOO_FEW},
    wrong={
        "left out": ("a batch", swap("photos.permute(2, 0, 1)", "photos")),
        "the first alone": ("a batch", swap("photos.permute", "photos[0].permute")),
        "deleted": ("a function", delete("print(torch.permute(clips, (3, 0, 1, 2)).shape)")),
        "swallowed": ("a function", swallow("print(torch.permute(clips, (3, 0, 1, 2)).shape)")),
    },
)
