"""move-statement: above the line that needs what it makes."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WIDTH = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.hidden = nn.Linear(5, self.width)
        self.width = 12
        self.out = nn.Linear(self.width, classes)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


print(Head(3)(torch.rand(2, 5)).shape)
"""

SLOPE = """\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
energy = (w**3).sum()
print("slope", w.grad.norm().item())
energy.backward()
"""

UNBOUND = """\
import torch


def normalised(x):
    y = (x - mean) / x.std()
    mean = x.mean()
    return y


print(normalised(torch.arange(4.0)))
"""

OF_ANOTHER = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(5, self.width)
        self.build()

    def build(self):
        self.width = 12


print(Head())
"""

NO_BACKWARD = """\
import torch

w = torch.ones(2, requires_grad=True)
print(w.grad.norm())
"""

CASES = Cases(
    mended={},
    paired={
        "a width that comes too late": (WIDTH, ("self.width = 12\n        self.hidden",)),
        "a slope before backward": (SLOPE, ('energy.backward()\nprint("slope"',)),
        "a mean": (UNBOUND, ("mean = x.mean()\n    y = ",)),
    },
    refused={"what another function makes": OF_ANOTHER, "no backward at all": NO_BACKWARD},
    wrong={
        "swallowed": ("a mean", swallow("y = (x - mean) / x.std()")),
        "another mean": ("a mean", swap("(x - mean)", "(x - x.median())")),
        "no slope": ("a slope before backward", delete(SLOPE.splitlines()[4])),
        "not trained": ("a slope before backward", delete("energy.backward()")),
    },
)
