"""kernel-larger-than-input: padding that keeps the size, or a kernel that fits."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ODD = """\
import torch
from torch import nn

edges = nn.Conv2d(1, 2, 5)  # wide edges
maps = edges(torch.rand(1, 1, 3, 3))
maps.sum().backward()
"""

IN_A_MODEL = """\
import torch
from torch import nn


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, kernel_size=7)

    def forward(self, x):
        return self.conv(x).mean()


print(Tiny()(torch.rand(2, 3, 4, 4)) < 9)
"""

IN_A_SEQUENTIAL = """\
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Conv2d(2, 2, 3), nn.Flatten())
print(net(torch.rand(2, 1, 4, 4)).shape[0])
"""

OBLONG = """\
import torch
from torch import nn

print(nn.Conv2d(1, 2, 5)(torch.rand(1, 1, 3, 9)).shape)
"""

LOADED = """\
import torch
from torch import nn

conv = nn.Conv2d(1, 2, 5)
conv.load_state_dict({"weight": torch.ones(2, 1, 5, 5), "bias": torch.zeros(2)})
print(conv(torch.rand(1, 1, 3, 3)).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "an odd kernel": (
            ODD,
            ("nn.Conv2d(1, 2, 5, padding=2)  # wide", "nn.Conv2d(1, 2, 3)  # wide"),
        ),
        "in a model": (IN_A_MODEL, ("kernel_size=7, padding=3)", "kernel_size=4)")),
        "in a Sequential": (IN_A_SEQUENTIAL, ("Conv2d(2, 2, 3, padding=1)", "Conv2d(2, 2, 2)")),
    },
    refused={"longer than high": OBLONG, "weights from a checkpoint": LOADED},
    wrong={
        "a larger picture": (
            "an odd kernel",
            swap("edges(torch.rand(1, 1, 3, 3))", "edges(nn.Upsample(9)(torch.rand(1, 1, 3, 3)))"),
        ),
        "leave it out": ("in a model", swap("self.conv(x).mean()", "x.mean()")),
        "detach": ("an odd kernel", swap("maps.sum()", "maps.detach().sum()")),
        "numbers from nowhere": (
            "an odd kernel",
            swap("edges(torch.rand(1, 1, 3, 3))", "torch.zeros(1, 2, 1, 1)"),
        ),
        "swallow it": ("an odd kernel", swallow("maps.sum().backward()")),
        "delete it": ("an odd kernel", delete("maps.sum().backward()")),
    },
)
