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

CASES = Cases(
    mended={},
    paired={
        "a module": (STEPS, ("(self, x, steps: int, rate: float = 0.5):   # several rounds",)),
        "a function": (FUNCTION, ("def halved(x, times: int):   # again and again",)),
        "by name": (BY_NAME, ("def moved(x, by: int):",)),
    },
    refused={"of two types": TWO_KINDS, "never called": NEVER_CALLED},
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
