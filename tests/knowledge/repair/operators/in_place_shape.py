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

ROWS = """\
import torch

weights = torch.ones(3, 2, requires_grad=True)
scaled = weights * 2
for row, factor in zip(scaled, [1.0, 2.0, 3.0]):
    row.mul_(factor)   # one by one
scaled.sum().backward()
print(weights.grad)
"""

HALVES = """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        a, b = self.fc(x).chunk(2, dim=1)
        a += b.tanh()   # gated
        return a * b


print(Gate()(torch.rand(5, 3)).shape)
"""

OF_A_LEAF = ROWS.replace("scaled = weights * 2", "scaled = weights")
READ_LATER = HALVES.replace(
    "a, b = self.fc(x).chunk", "y = self.fc(x)\n        a, b = y.chunk"
).replace("return a * b", "return a * b + y.sum()")


NUMBERED_ROWS = """\
import torch

weights = torch.ones(3, 2, requires_grad=True)
scaled = weights * 2
for n, row in enumerate(scaled):
    row += n   # from 0
scaled.sum().backward()
print(weights.grad)
"""

SPLIT = """\
import torch

gate = torch.nn.Linear(4, 6)
low, high = torch.split(gate(torch.rand(5, 4)), 3, dim=1)
high.mul_(2.0)   # louder
(low * high).sum().backward()
print(gate.weight.grad.shape)
"""


CASES = Cases(
    mended={},
    paired={
        "numbered rows": (
            NUMBERED_ROWS,
            ("in enumerate((scaled[i] for i in range(len(scaled)))):",),
        ),
        "a part of a split": (SPLIT, ("high = high.mul(2.0)   # louder",)),
        "rows of a loop": (ROWS, ("in zip((scaled[i] for i in range(len(scaled))), [1.0,",)),
        "a half of a layer's output": (HALVES, ("a = a + b.tanh()   # gated",)),
        "a hook": (HOOK, ("kept.copy_(output.data.flatten())",)),
        "a row of a table": (ROW, ("table[n] = pool(torch.rand(1, 6, 5, 5)).flatten()",)),
        "maps": (MAPS, ("maps.copy_(seen.squeeze())",)),
    },
    refused={
        "rows of a leaf": OF_A_LEAF,
        "read as a whole later": READ_LATER,
        "other numbers": OTHER_NUMBERS,
        "another order": ANOTHER_ORDER,
    },
    wrong={
        "nothing louder": ("a part of a split", delete("high.mul_(2.0)   # louder")),
        "no gradient": ("rows of a loop", swap("weights * 2", "weights.detach() * 2")),
        "the first number": (
            "a hook",
            swap("kept.copy_(output.data)", "kept.copy_(output.data[0, 0, 0, 0])"),
        ),
        "swallowed": ("a hook", swallow("kept.copy_(output.data)")),
        "left out": ("maps", delete("maps.copy_(seen)")),
        "a mean": ("maps", swap("maps.copy_(seen)", "maps.copy_(seen.mean())")),
    },
)
