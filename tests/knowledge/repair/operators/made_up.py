"""made-up: data that a program drew goes together, sample by sample."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

CLASSES = """\
import torch
from torch import nn

flowers, kinds = torch.rand(48, 4), 3
labels = torch.randint(0, kinds, (40,))   # made up
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, kinds))
loss = nn.CrossEntropyLoss()(model(flowers), labels)
loss.backward()
print(loss.item())
"""
CLASSES = CLASSES.replace(
    "flowers, kinds = torch.rand(48, 4), 3", "flowers = torch.rand(48, 4)\nkinds = 3"
)

NAMED = """\
import torch
import torch.nn.functional as F

hours, days = 24, 7
series = torch.randn(days, hours)
load = torch.zeros(hours, 1)   # nothing yet
weight = torch.randn(hours, 1, requires_grad=True)


def step():
    error = F.mse_loss(series @ weight, load)
    error.backward()
    return error.item()


print(step() > 0)
"""

SET = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

frames = torch.randn(60, 3, 8)
marks = torch.randint(high=2, size=(50,))
for frame, mark in DataLoader(TensorDataset(frames, marks), batch_size=20):
    print(frame.shape, mark.shape)
"""

CUT = """\
import torch
from torch.utils.data import TensorDataset

points = torch.linspace(0, 1, 90).unsqueeze(1)
heights = points.sin()
seen = points[:70]
heights_seen = heights[:75]
fit = TensorDataset(seen, heights_seen)
print(len(fit))
"""

NORM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(2, 4, 3)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.norm(self.first(x).mean(-1)).sum(1, keepdim=True)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
wave = torch.randn(1, 2, 20)
aim = torch.randn(1, 1)
for _ in range(2):
    optimizer.zero_grad()
    nn.functional.mse_loss(net(wave), aim).backward()
    optimizer.step()
print(net(wave).shape)
"""

FOLDED = """\
import torch
from torch import nn

tracks = torch.randn(16, 5, 6)
labels = torch.randint(0, 4, (16,))
scores = nn.Linear(6, 4)(tracks).view(-1, 4)   # a step each
print(nn.CrossEntropyLoss()(scores, labels))
"""

MEASURED = """\
import torch
from torch.utils.data import TensorDataset

heights = torch.tensor([1.6, 1.8, 1.7, 1.9])
ages = torch.tensor([31, 24, 55])
print(len(TensorDataset(heights, ages)))
"""

NOTED = CLASSES.replace("# made up", "# 40 of each day")

OTHER_LENGTHS = CUT.replace("heights = points.sin()", "heights = points[:80].sin()")

CASES = Cases(
    mended={},
    paired={
        "labels": (CLASSES, ("torch.randint(0, kinds, (48,))   # made up",)),
        "by its name": (NAMED, ("load = torch.zeros(days, 1)   # nothing yet",)),
        "a set": (SET, ("torch.randint(high=2, size=(60,))",)),
        "cut alike": (CUT, ("heights_seen = heights[:70]",)),
        "a batch of one": (NORM, ("torch.randn(2, 2, 20)\naim = torch.randn(2, 1)",)),
    },
    refused={
        "lost in between": FOLDED,
        "measured": MEASURED,
        "a number that is noted": NOTED,
        "of other lengths": OTHER_LENGTHS,
    },
    wrong={
        "cut off": ("labels", swap("model(flowers)", "model(flowers[:40])")),
        "repeated": ("labels", swap("labels)\nloss", "labels.repeat(2)[:48])\nloss")),
        "averaged": ("by its name", swap("series @ weight, load", "series @ weight, load.mean()")),
        "swallowed": ("a set", swallow("print(frame.shape, mark.shape)")),
        "not trained": ("a batch of one", delete("optimizer.step()")),
        "no norm": ("a batch of one", swap("self.norm(self.first(x).mean(-1))", "self.first(x)")),
    },
)
