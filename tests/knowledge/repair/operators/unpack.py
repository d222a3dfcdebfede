"""unpack: the names stand as the values do."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

STATES = """\
import torch
from torch import nn

steps, state, cell = nn.LSTM(3, 4)(torch.rand(5, 2, 3))
print(steps.shape, state.shape, cell.shape)
"""

ONE_STATE = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 4, batch_first=True)

    def forward(self, x):
        _, (state, cell) = self.rnn(x)
        return state[-1]


print(Reader()(torch.rand(5, 2, 3)).shape)
"""

COUNTED = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

rows = TensorDataset(torch.rand(6, 2), torch.rand(6))
for step, x, y in enumerate(DataLoader(rows, batch_size=3)):
    print(step, x.shape, y.shape)
"""

NOT_COUNTED = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rows = TensorDataset(torch.rand(6, 2), torch.rand(6))
net = nn.Linear(2, 1)
for x, y in enumerate(DataLoader(rows, batch_size=3)):
    print(net(x).shape)
"""

BY_NAME = """\
import torch
from torch import nn


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 2)
        self.spread = nn.Linear(3, 2)

    def forward(self, x):
        mean, spread = self.mean(x), self.spread(x)
        sample = mean + spread.exp() * torch.randn_like(mean)
        return sample, mean, spread


mean, spread = Coder()(torch.rand(4, 3))
print(mean.shape, spread.shape)
"""

NOT_THERE = """\
import torch

values, places, rest = torch.rand(5).topk(2)
print(values.shape, places.shape)
"""

FIRST_BATCH = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(6, 2), torch.rand(6)), batch_size=3)
x, y, weights = next(iter(loader))
print(x.shape, y.shape)
"""

OPEN_WHICH = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

rows = TensorDataset(torch.rand(6, 2), torch.rand(6), torch.rand(6))
for x, y in DataLoader(rows, batch_size=3):
    print(x.shape, y.shape)
"""

BOTH_READ = """\
import torch
from torch import nn

steps, (state, cell) = nn.GRU(3, 4)(torch.rand(5, 2, 3))
print(state.shape, cell.shape)
"""

READ_FURTHER_DOWN = """\
import torch

values, places, rest = torch.rand(5).topk(2)
print(values.shape, rest)
"""

ROWS = """\
import torch

first, second = torch.rand(3, 2)
print(first.shape)
"""

SIZES = """\
import torch

batch, channels, high, wide = torch.rand(3, 8, 8).shape
print(batch * channels * high)
"""

AS_ANOTHER = """\
import torch
from torch.utils.data import DataLoader


class Tiles(torch.utils.data.Dataset):
    def __init__(self):
        self.bands = torch.rand(6, 4)

    def __len__(self):
        return len(self.bands)

    def __getitem__(self, k):
        return self.bands[k], self.bands[k].sum(), f"tile {k}"


for bands, cover, tile in DataLoader(Tiles(), batch_size=3):
    print(bands.shape, cover.shape, len(tile))
net = torch.nn.Linear(4, 1)
for bands, cover in DataLoader(Tiles(), batch_size=2):
    print((net(bands).squeeze(1) - cover).shape)
"""

SPLIT = """\
import torch
from sklearn.model_selection import train_test_split
from torch import nn

x, y = torch.randn(40, 5), torch.randint(0, 3, (40,))
x_train, y_train, x_test, y_test = train_test_split(x, y, test_size=0.25)   # a quarter
net = nn.Linear(5, 3)
nn.functional.cross_entropy(net(x_train), y_train).backward()
print(net(x_test).argmax(1).shape == y_test.shape)
"""

SPLIT_UNNAMED = SPLIT.replace("x_train", "a").replace("y_train", "b").replace(
    "x_test", "c").replace("y_test", "d")  # fmt: skip


CASES = Cases(
    mended={},
    paired={
        "parts of a split": (
            SPLIT,
            ("x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25)",),
        ),
        "states": (STATES, ("steps, (state, cell) =",)),
        "one state": (ONE_STATE, ("_, state = self.rnn(x)",)),
        "as another loop": (
            AS_ANOTHER,
            ("for bands, cover, _ in DataLoader(Tiles(), batch_size=2)",),
        ),
        "counted": (COUNTED, ("for step, (x, y) in enumerate",)),
        "a count for data": (NOT_COUNTED, ("for i, (x, y) in enumerate",)),
        "the first batch": (FIRST_BATCH, ("x, y = next(iter(loader))",)),
        "by name": (BY_NAME, ("_, mean, spread =",)),
        "not there": (NOT_THERE, ("values, places = torch",)),
    },
    refused={
        "parts that no name tells apart": SPLIT_UNNAMED,
        "open which part": OPEN_WHICH,
        "both are read": BOTH_READ,
        "read further down": READ_FURTHER_DOWN,
        "rows of a tensor": ROWS,
        "sizes": SIZES,
    },
    wrong={
        "the first labels": (
            "parts of a split",
            swap("(net(x_train), y_train)", "(net(x_train), y[:30])"),
        ),
        "the wrong part": ("states", swap("steps, state, cell =", "steps, state = cell =")),
        "made up": (
            "counted",
            swap("enumerate(DataLoader(rows, batch_size=3))", "[(0, rows[0][0], rows[0][1])]"),
        ),
        "deleted": ("not there", delete("print(values.shape, places.shape)")),
        "swallowed": ("by name", swallow("mean, spread = Coder()(torch.rand(4, 3))")),
    },
)
