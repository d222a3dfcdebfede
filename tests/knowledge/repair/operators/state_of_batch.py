"""state-of-batch: a first state for as many samples as come in."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

METHOD = """\
import torch
from torch import nn

ROWS = 4


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.GRU(3, 5, batch_first=True)

    def fresh(self):
        return torch.zeros(1, ROWS, 5)

    def forward(self, x):
        return self.cells(x, self.fresh())[0]


reader, series = Reader(), torch.rand(10, 6, 3)
for start in range(0, 10, ROWS):
    print(reader(series[start : start + ROWS]).shape)
"""

OUTSIDE = """\
import torch
from torch import nn

config = {"layers": 2, "batch": 4, "hidden": 5}
cells = nn.LSTM(3, config["hidden"], config["layers"])


def first_state():
    sizes = (config["layers"], config["batch"], config["hidden"])
    return torch.zeros(sizes), torch.zeros(sizes)


series = torch.rand(7, 6, 3)   # time, samples
for rows in series.split(4, dim=1):
    steps, last = cells(rows, first_state())
    print(steps.shape)
"""

HELD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader


class Counter(nn.Module):
    def __init__(self, batch):
        super().__init__()
        self.batch = batch
        self.cells = nn.RNN(2, 3, batch_first=True)

    def begin(self):
        return torch.zeros(1, self.batch, 3)

    def forward(self, x, state):
        return self.cells(x, state)[0][:, -1]


net = Counter(4)
for rows in DataLoader(torch.rand(9, 5, 2), batch_size=4):
    state = net.begin()
    print(net(rows, state).shape)
"""

BEFORE = """\
import torch
from torch import nn

cells = nn.GRU(3, 5, batch_first=True)


def fresh():
    return torch.zeros(1, 4, 5)


state = fresh()
for rows in torch.rand(10, 6, 3).split(4):
    out, state = cells(rows, state)
print(out.shape)
"""

TOLD = """\
import torch
from torch import nn

cells = nn.GRU(3, 5, batch_first=True)


def fresh(layers):
    return torch.zeros(layers, 4, 5)


for rows in torch.rand(6, 7, 3).split(4):
    print(cells(rows, fresh(1))[0].shape)
"""

CELL = """\
import torch
from torch import nn


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTMCell(2, 4), nn.Linear(4, 2)

    def forward(self, x):
        h = x.new_zeros(len(x), 4)
        for _ in range(3):
            h = self.cell(x, h)   # one after another
            x = self.out(h)
        return x


print(Writer()(torch.rand(5, 2)).shape)
"""

ONE_STATE = """\
import torch
from torch import nn

cells = nn.LSTM(3, 4, batch_first=True)


def first(rows):
    return torch.zeros(1, rows, 4)


state = first(2)
for x in torch.rand(3, 2, 5, 3):
    out, state = cells(x, state)
print(out.shape)
"""

GIVEN = """\
import torch
from torch import nn

cell = nn.LSTMCell(2, 4)


def step(x, h):
    h = cell(x, h)
    return h.sum()


print(step(torch.rand(5, 2), torch.rand(5, 4)))
"""


LOOSE_CELL = """\
import torch
from torch import nn

cell, out = nn.LSTMCell(3, 5), nn.Linear(5, 1)
h = torch.zeros(2, 5)
for x in torch.rand(4, 2, 3):
    h = cell(x, h)   # step by step
print(out(h).shape)
"""


CASES = Cases(
    mended={},
    paired={
        "a cell of its own": (
            LOOSE_CELL,
            (
                "c = torch.zeros_like(h)\nfor x in torch.rand(4, 2, 3):\n"
                "    h, c = cell(x, (h, c))   # step",
            ),
        ),
        "a second state": (
            CELL,
            (
                "c = torch.zeros_like(h)\n        for _ in range(3):\n"
                "            h, c = self.cell(x, (h, c))   # one after",
            ),
        ),
        "a pair of first states": (
            ONE_STATE,
            ("return (torch.zeros(1, rows, 4), torch.zeros(1, rows, 4))",),
        ),
        "a method": (METHOD, ("self.cells(x, self.fresh(x.size(0)))",)),
        "by the second dimension": (OUTSIDE, ("first_state(rows.size(1))",)),
        "called outside": (HELD, ("state = net.begin(rows.size(0))",)),
    },
    refused={
        "a state that is given": GIVEN,
        "made before the loop": BEFORE,
        "told something else": TOLD,
    },
    wrong={
        "the first state each time": (
            "a cell of its own",
            swap("h = cell(x, h)", "h = cell(x)[0]"),
        ),
        "another layer": ("a second state", swap("nn.LSTMCell", "nn.GRUCell")),
        "no state": ("a method", swap("self.cells(x, self.fresh())", "self.cells(x)")),
        "no layer": ("a method", swap("self.cells(x, self.fresh())[0]", "x")),
        "swallowed": (
            "by the second dimension",
            swallow("steps, last = cells(rows, first_state())"),
        ),
        "deleted": ("called outside", delete("print(net(rows, state).shape)")),
    },
)
