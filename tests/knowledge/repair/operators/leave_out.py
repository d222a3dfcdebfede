"""leave-out: an object that cannot be made and that nothing uses."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NOTHING_TO_LEARN = """\
import torch
from torch import nn


class Tally(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen += x.sum()
        return x


tally = Tally()
optimizer = torch.optim.Adam(tally.parameters(), lr=0.01)
tally(torch.ones(3))
print(tally.seen)
"""

NO_SAMPLES = """\
import torch
from torch.utils.data import DataLoader

rows = []
loader = DataLoader(rows, batch_size=2, shuffle=True)
print(len(rows))
"""

A_SCHEDULER = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
step = torch.optim.SGD(net.parameters(), lr=0.1)
slower = torch.optim.lr_scheduler.StepLR("step", 3)
net(torch.rand(4, 2)).mean().backward()
step.step()
print("one step")
"""

USED = NOTHING_TO_LEARN.replace("print(tally.seen)", "optimizer.step()")

SAID = NOTHING_TO_LEARN.replace("lr=0.01)", "lr=0.01)  # still required")
SHOWN = NOTHING_TO_LEARN.replace(
    "optimizer =", "# Incorrect: there is nothing to learn\noptimizer ="
)

THE_LAST_LINE = """\
import torch

flat = torch.nn.Flatten()
learner = torch.optim.SGD(flat.parameters(), lr=0.1)
"""

CASES = Cases(
    mended={},
    paired={
        "nothing to learn": (NOTHING_TO_LEARN, ("tally = Tally()\ntally(torch.ones(3))",)),
        "no samples": (NO_SAMPLES, ("rows = []\nprint",)),
        "a scheduler of a text": (A_SCHEDULER, ("lr=0.1)\nnet(torch.rand",)),
    },
    refused={
        "what uses it is not posted": NOTHING_TO_LEARN + "print(missing)\n",
        "it is used": USED,
        "what the code is about": THE_LAST_LINE,
        "it is said to be needed": SAID,
        "it is there to fail": SHOWN,
    },
    wrong={
        "swallowed": (
            "no samples",
            swallow("loader = DataLoader(rows, batch_size=2, shuffle=True)"),
        ),
        "the forward too": ("nothing to learn", delete("tally(torch.ones(3))")),
        "a weight of its own": (
            "nothing to learn",
            swap("tally.parameters()", "[torch.zeros(1, requires_grad=True)]"),
        ),
        "a step less": ("a scheduler of a text", delete("step.step()")),
    },
)
