"""branchless: a tensor picks one of two values where a compiler cannot follow an `if`."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swap

SCALED = """\
import torch


def step(x):
    size = x.norm()
    # not too far
    if size > 2:
        x = x * (2 / size)
    return x + 1


fast = torch.compile(step, backend="eager", fullgraph=True)
print(fast(torch.ones(9)).sum())
"""

EITHER = """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x):
        if x.mean() > 0:
            y = self.up(x)
        else:
            y = self.down(x)
        return y.tanh()


fast = torch.compile(Gate(), backend="eager", fullgraph=True)
print(fast(torch.ones(4, 3)).shape)
"""

IN_A_LOOP = """\
import torch


@torch.compile(backend="eager", fullgraph=True)
def settle(x):
    for _ in range(3):
        x = x / 2
        if (x.abs() > 1).any():
            x = x - x.sign()
    return x


print(settle(torch.arange(6.0)))
"""

LEAVES = """\
import torch


@torch.compile(backend="eager", fullgraph=True)
def first(x):
    if x.sum() > 0:
        return x
    return -x


print(first(torch.ones(3)))
"""

TWO_LINES = """\
import torch


@torch.compile(backend="eager", fullgraph=True)
def both(x, y):
    if x.sum() > 0:
        x = x + 1
        y = y - 1
    return x * y


print(both(torch.ones(3), torch.ones(3)))
"""

RETURNED = """\
import torch
from torch.func import vmap


def shrink(x):
    size = x.abs().sum()
    if size > 2:
        return x / size
    return x * 3


print(vmap(shrink)(torch.tensor([[1.0, 3.0], [0.5, 0.5]])))
"""

OF_THREE = """\
import torch
from torch.func import vmap


def sign(x):
    if x > 0:
        return x
    if x < -1:
        return x - 1
    return -x


print(vmap(sign)(torch.tensor([1.0, -3.0])))
"""

EXPORTED = """\
import torch
from torch import nn


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.later = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x, seen):
        n = seen.item()   # how far
        if n < 1:
            return self.first(x)
        return self.later(x)


given = (torch.ones(1, 3), torch.tensor(2))
print(torch.export.export(Step(), given).module()(*given).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "it returns": (LEAVES, ("    return torch.where(x.sum() > 0, x, -x)\n",)),
        "two results": (RETURNED, ("    return torch.where(size > 2, x / size, x * 3)\n",)),
        "an exported step": (
            EXPORTED,
            (
                "n = seen   # how far\n"
                "        return torch.where(n < 1, self.first(x), self.later(x))\n",
            ),
        ),
        "an if": (
            SCALED,
            ("    # not too far\n    x = torch.where(size > 2, x * (2 / size), x)\n",),
        ),
        "if and else": (EITHER, ("y = torch.where(x.mean() > 0, self.up(x), self.down(x))",)),
        "in a loop": (IN_A_LOOP, ("x = torch.where((x.abs() > 1).any(), x - x.sign(), x)",)),
    },
    refused={"three results": OF_THREE, "two values": TWO_LINES},
    wrong={
        "one result for all": (
            "two results",
            swap("    if size > 2:\n        return x / size\n", ""),
        ),
        "never": ("an if", swap("if size > 2:\n        x = x * (2 / size)", "x = x")),
        "always": (
            "an if",
            swap("    if size > 2:\n        x = x * (2 / size)", "    x = x * (2 / size)"),
        ),
        "with breaks": ("an if", swap(", fullgraph=True", ", fullgraph=False")),
        "not called": ("an if", delete("print(fast(torch.ones(9)).sum())")),
    },
)
