"""move-statement: out of a loop that repeats it, or above the line that needs what it makes."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ROUNDS = """\
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Conv1d(1, 3, 5)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
waves = torch.rand(8, 20)
for epoch in range(3):
    waves = waves.unsqueeze(1)
    loss = encoder(waves).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(epoch)
"""

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

NEW_EACH_ROUND = """\
import torch
from torch import nn

encoder = nn.Conv1d(1, 3, 5)
for epoch in range(3):
    waves = torch.rand(8, 20, 4)
    waves = waves.unsqueeze(1)
    print(encoder(waves).shape)
"""

NO_BACKWARD = """\
import torch

w = torch.ones(2, requires_grad=True)
print(w.grad.norm())
"""

CASES = Cases(
    mended={},
    paired={
        "a channel in every round": (
            ROUNDS,
            ("waves = waves.unsqueeze(1)\nfor epoch in range(3):\n    loss",),
        ),
        "a width that comes too late": (WIDTH, ("self.width = 12\n        self.hidden",)),
        "a slope before backward": (SLOPE, ('energy.backward()\nprint("slope"',)),
    },
    refused={"a new batch in every round": NEW_EACH_ROUND, "no backward at all": NO_BACKWARD},
    wrong={
        "swallowed": (
            "a channel in every round",
            swallow("loss = encoder(waves).pow(2).mean()"),
        ),
        "one round": ("a channel in every round", swap("range(3)", "range(1)")),
        "no slope": ("a slope before backward", delete(SLOPE.splitlines()[4])),
        "not trained": ("a channel in every round", delete("loss.backward()")),
    },
)
