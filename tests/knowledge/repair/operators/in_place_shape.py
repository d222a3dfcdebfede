"""in-place-shape: what is written has the numbers of its place, and more dimensions."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

HOOK = """\
import torch
from torch import nn

kept = torch.zeros(6)
net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.AdaptiveAvgPool2d(1))


def keep(module, inputs, output):
    kept.copy_(output.data)


net[1].register_forward_hook(keep)
net(torch.rand(1, 3, 8, 8))
print(kept.shape)
"""

ROW = """\
import torch
from torch import nn

table = torch.zeros(4, 6)
pool = nn.AdaptiveAvgPool2d(1)
for n in range(4):
    table[n] = pool(torch.rand(1, 6, 5, 5))
print(table.shape)
"""

MAPS = """\
import torch

maps = torch.zeros(3, 5)
seen = torch.rand(1, 3, 1, 5)
maps.copy_(seen)
print(maps.shape)
"""

OTHER_NUMBERS = """\
import torch

kept = torch.zeros(6)
kept.copy_(torch.rand(2, 6))
print(kept)
"""


ANOTHER_ORDER = """\
import torch

kept = torch.zeros(2, 3)
kept.copy_(torch.rand(1, 3, 2, 1))
print(kept)
"""

CASES = Cases(
    mended={},
    paired={
        "a hook": (HOOK, ("kept.copy_(output.data.flatten())",)),
        "a row of a table": (ROW, ("table[n] = pool(torch.rand(1, 6, 5, 5)).flatten()",)),
        "maps": (MAPS, ("maps.copy_(seen.squeeze())",)),
    },
    refused={"other numbers": OTHER_NUMBERS, "another order": ANOTHER_ORDER},
    wrong={
        "the first number": (
            "a hook",
            swap("kept.copy_(output.data)", "kept.copy_(output.data[0, 0, 0, 0])"),
        ),
        "swallowed": ("a hook", swallow("kept.copy_(output.data)")),
        "left out": ("maps", delete("maps.copy_(seen)")),
        "a mean": ("maps", swap("maps.copy_(seen)", "maps.copy_(seen.mean())")),
    },
)
