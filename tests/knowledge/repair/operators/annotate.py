"""annotate: parameters of scripted functions get the types of what they are given."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

STEPS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, steps, rate=0.5):   # several rounds
        for _ in range(steps):
            x = x + rate * self.fc(x)
        return x


net = Net()
print(net(torch.rand(2, 3), 4).shape)
print(torch.jit.script(net)(torch.rand(2, 3), 4).shape)
"""

FUNCTION = """\
import torch


def halved(x, times):   # again and again
    for _ in range(times):
        x = x / 2
    return x


print(halved(torch.ones(2), 3))
print(torch.jit.script(halved)(torch.ones(2), 3))
"""

BY_NAME = """\
import torch


@torch.jit.script
def moved(x, by):
    return x.roll(by)


print(moved(torch.arange(4), by=1))
"""

TWO_KINDS = """\
import torch


def halved(x, times):
    for _ in range(times):
        x = x / 2
    return x


print(halved(torch.ones(2), 3))
print(halved(torch.ones(2), True))
print(torch.jit.script(halved))
"""

NEVER_CALLED = """\
import torch


def halved(x, times):
    for _ in range(times):
        x = x / 2
    return x


print(torch.jit.script(halved))
"""

INNER = """\
import torch
from torch import nn


@torch.jit.script
def summed(x, over):
    return x.sum(over)


@torch.jit.script
def total(x):
    return summed(x, 0).sum()


print(total(torch.ones(2, 3)))
"""

SCALED_BY = """\
import torch
from torch import nn


@torch.jit.script
def joined(a, b, dim):   # along
    return torch.cat([a, b], dim)


def both(a, b):
    return joined(a, b, dim=1)


print(both(torch.ones(2, 3), torch.ones(2, 1)).shape)
"""

NEGATIVE_DIM = """\
import torch
from torch import nn


@torch.jit.script
def best(x, axis):
    return x.argmax(axis)


class Head(nn.Module):
    def forward(self, x):
        return best(x, -1)


print(Head()(torch.eye(3)))
"""

FROM_A_VARIABLE = """\
import torch
from torch import nn


@torch.jit.script
def summed(x, over):
    return x.sum(over)


def total(x, over):
    return summed(x, over)
"""

LISTED = """\
import torch


@torch.jit.script
def places(x):
    found = []
    for i in range(x.size(0)):
        if bool(x[i] > 0):
            found.append(i)
    return found


print(places(torch.tensor([1.0, -2.0, 3.0])))
"""

SEVERAL = """\
import torch


@torch.jit.script
def longest(rows):
    most = 0
    for row in rows:
        most = max(most, row.size(0))
    return most


print(longest([torch.ones(2), torch.ones(5)]))
"""

PARTS = """\
import torch
from torch import nn


class Joined(nn.Module):
    def forward(self, parts):   # left and right
        return parts[0] * parts[1]


net = torch.jit.script(Joined())
print(net((torch.ones(2), torch.ones(2))))
"""

MIXED = SEVERAL.replace("[torch.ones(2), torch.ones(5)]", "[torch.ones(2), 5]")


CASES = Cases(
    mended={},
    paired={
        "a list of tensors": (SEVERAL, ("def longest(rows: list[torch.Tensor]):",)),
        "a pair of them": (PARTS, ("(self, parts: tuple[torch.Tensor, torch.Tensor]):   # left",)),
        "a list of numbers": (LISTED, ("found: list[int] = []",)),
        "called inside another": (INNER, ("def summed(x, over: int):",)),
        "by a keyword inside": (SCALED_BY, ("def joined(a, b, dim: int):   # along",)),
        "a negative one inside": (NEGATIVE_DIM, ("def best(x, axis: int):",)),
        "a module": (STEPS, ("(self, x, steps: int, rate: float = 0.5):   # several rounds",)),
        "a function": (FUNCTION, ("def halved(x, times: int):   # again and again",)),
        "by name": (BY_NAME, ("def moved(x, by: int):",)),
    },
    refused={
        "a list of two kinds": MIXED,
        "a variable inside": FROM_A_VARIABLE,
        "of two types": TWO_KINDS,
        "never called": NEVER_CALLED,
    },
    wrong={
        "one round": ("a module", swap("range(steps)", "range(1)")),
        "not scripted": ("a module", swap("torch.jit.script(net)(", "net(")),
        "left out": ("a module", delete("print(torch.jit.script(net)(torch.rand(2, 3), 4).shape)")),
        "swallowed": (
            "a module",
            swallow("print(torch.jit.script(net)(torch.rand(2, 3), 4).shape)"),
        ),
    },
)
