"""view-invalid-for-size: flatten a batch; elsewhere -1 for the one size that is wrong."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4 * 5 * 5, 2)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = x.view(-1, 4 * 5 * 5)  # rows
        return self.fc(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(torch.rand(6, 1, 8, 8)), torch.arange(6) % 2).backward()
    optimizer.step()
"""

LAST_BATCH = """\
import torch

batch_size = 8
total = torch.zeros(())
for batch in torch.arange(42.0).split(8 * 3):
    rows = batch.view(batch_size, 3)
    total += rows.sum(1).mean()
print(total)
"""

HEADS = """\
import torch

x = torch.randn(2, 30)
heads = torch.reshape(x, (2, 4, 5))  # five numbers each
print(heads.shape)
"""

GRID = """\
import torch

values = torch.arange(24)
grid = values.view(5, 6)
print(grid)
"""

EITHER = """\
import torch

values = torch.arange(60)
table = values.view(4, 10)
"""

UNCLEAR = """\
import torch

colours = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
pattern = torch.tensor(colours).reshape(2, 1)
print(pattern)
"""

NO_WAY = """\
import torch

x = torch.randn(7)
print(x.view(2, 3))
"""

CHANNELS = """\
import torch
from torch import nn

pictures = torch.randn(2, 24, 8, 8)
rows = nn.Linear(24 * 8 * 8, 48)(pictures.flatten(1))
print(rows.view(2, 24, 4, 4).shape)
"""

CASES = Cases(
    mended={
        "rows for a Linear": (NET, "x.flatten(1)  # rows"),
        "a smaller last batch": (LAST_BATCH, "batch.view(-1, 3)"),
        "one size is wrong": (HEADS, "torch.reshape(x, (2, -1, 5))"),
        "a grid": (GRID, "values.view(-1, 6)"),
    },
    paired={
        "a size that the code works with": (CHANNELS, ("rows.view(2, -1, 4, 4)",)),
        "either size": (EITHER, ("values.view(-1, 10)", "values.view(4, -1)")),
    },
    refused={"colours would come apart": UNCLEAR, "nothing fits": NO_WAY},
    wrong={
        "resize_ makes numbers up": ("a grid", swap("values.view(5, 6)", "values.resize_(5, 6)")),
        "only some of the numbers": ("a grid", swap("values.view(5, 6)", "values[:18].view(3, 6)")),
        "swallow it": ("a grid", swallow("grid = values.view(5, 6)")),
        "something else of that size": (
            "a grid",
            swap("values.view(5, 6)", "torch.zeros(4, 6)"),
        ),
        "cut the gradient": (
            "rows for a Linear",
            lambda code: swap("x.view(-1, 4 * 5 * 5)", "x.detach().flatten(1)")(
                swap("nn.Linear(4 * 5 * 5, 2)", "nn.Linear(144, 2)")(code)
            ),
        ),
        "mix the samples": (
            "rows for a Linear",
            lambda code: swap("4 * 5 * 5)  # rows", "4 * 3 * 3)")(
                swap("nn.Linear(4 * 5 * 5, 2)", "nn.Linear(36, 2)")(code)
            ),
        ),
    },
)
