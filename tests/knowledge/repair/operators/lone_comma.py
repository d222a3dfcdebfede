"""lone_comma: a comma behind a value makes a tuple of it."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SETTINGS = """\
import torch
from torch import nn


class Settings:
    steps = 3
    rate = 0.01,
    betas = (0.9, 0.99)


net = nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=Settings.rate, betas=Settings.betas)
for _ in range(Settings.steps):
    optimizer.zero_grad()
    net(torch.ones(2, 3)).sum().backward()
    optimizer.step()
print("trained")
"""

LOSS = """\
import torch

pulled = torch.tensor([1.0, 2.0], requires_grad=True)
cost = (pulled * 3).sum(),
cost.backward()
print(pulled.grad)
"""

INSIDE = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.factor = torch.tensor(0.5),

    def forward(self, x):
        return self.layer(x) * self.factor


print(Scaled()(torch.ones(1, 2)).shape)
"""

WRITTEN = """\
import torch

sizes = (2,)
print(torch.ones(sizes) + sizes)
"""

GIVEN = """\
import torch


def halves(x):
    return (x / 2,)


parts = halves(torch.ones(3))
print(parts.mean())
"""

CASES = Cases(
    mended={},
    paired={
        "a setting": (SETTINGS, ("    rate = 0.01\n    betas",)),
        "a loss": (LOSS, ("cost = (pulled * 3).sum()\ncost.backward()",)),
        "an attribute": (INSIDE, ("self.factor = torch.tensor(0.5)\n",)),
    },
    refused={"written as one": WRITTEN, "given back": GIVEN},
    wrong={
        "no rate": ("a setting", swap("lr=Settings.rate, ", "")),
        "swallowed": ("a loss", swallow("cost.backward()")),
        "deleted": ("a loss", delete("cost.backward()")),
        "no factor": ("an attribute", swap(" * self.factor", "")),
    },
)
