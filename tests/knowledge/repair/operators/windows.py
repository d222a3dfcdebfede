"""windows: a data set of windows ends with the last whole one."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SERIES = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, series, width):
        self.series, self.width = series, width

    def __len__(self):
        return len(self.series)

    def __getitem__(self, i):
        end = i + self.width
        return self.series[i:end], self.series[end]


for x, y in DataLoader(Windows(torch.arange(20.0), 4), batch_size=8):
    print(x.shape, y.shape)
"""

ROWS = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Steps(Dataset):
    def __init__(self, table, steps):
        self.table = table
        self.steps = steps

    def __len__(self):
        return self.table.shape[0]

    def __getitem__(self, index):
        return self.table[index : index + self.steps]


for batch in DataLoader(Steps(torch.rand(10, 2), 3), batch_size=5):
    print(batch.shape)
"""

OFF_BY_ONE = """\
import torch

text = torch.arange(12)
block = 4
x = [text[i : i + block] for i in range(len(text) - block + 1)]
y = [text[i + 1 : i + block + 1] for i in range(len(text) - block + 1)]
print(torch.stack(x).shape, torch.stack(y).shape)
"""

LOOP = """\
import torch

prices = torch.rand(15)
days = 5
targets = []
for i in range(len(prices)):
    targets.append(prices[i + days])
print(torch.stack(targets).shape)
"""

ANOTHER_INDEX = """\
import torch

values = torch.rand(5)
k = 2
for i in range(len(values)):
    print(values[i * k])
"""

TOO_SHORT = """\
import torch

prices = torch.rand(3)
days = 5
for i in range(len(prices)):
    print(prices[i + days])
"""

IN_TWO_STEPS = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Ahead(Dataset):
    def __init__(self, level, past, ahead):
        self.level, self.past, self.ahead = level, past, ahead

    def __len__(self):
        return len(self.level) - self.past

    def __getitem__(self, k):
        middle = k + self.past
        return self.level[k:middle], self.level[middle:middle + self.ahead]


for before, after in DataLoader(Ahead(torch.rand(20), 5, 3), batch_size=8):
    print(before.shape, after.shape)
"""

CASES = Cases(
    mended={},
    paired={
        "a series": (SERIES, ("return len(self.series) - self.width",)),
        "rows": (ROWS, ("return self.table.shape[0] - self.steps + 1",)),
        "off by one": (OFF_BY_ONE, ("range(len(text) - block)]",)),
        "in two steps": (IN_TWO_STEPS, ("return len(self.level) - self.past - self.ahead + 1",)),
        "a loop": (LOOP, ("range(len(prices) - days)",)),
    },
    refused={"a step of another kind": ANOTHER_INDEX, "no whole window": TOO_SHORT},
    wrong={
        "swallowed": ("a loop", swallow("targets.append(prices[i + days])")),
        "the first alone": ("a series", swap("batch_size=8):", "batch_size=8):\n    break")),
        "deleted": ("a loop", delete("targets.append(prices[i + days])")),
        "filled up": (
            "rows",
            swap(
                "batch_size=5)",
                "batch_size=5, collate_fn=lambda s: torch.nn.utils.rnn.pad_sequence(s))",
            ),
        ),
    },
)
