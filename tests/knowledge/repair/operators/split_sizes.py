"""split-sizes: the last part of a split is the rest."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

TWO = """\
import torch
from torch.utils.data import TensorDataset, random_split

rows = TensorDataset(torch.rand(51, 2))
train, held_out = random_split(rows, [int(len(rows) * 0.9), int(len(rows) * 0.1)])
print(len(train), len(held_out))
"""

NAMED = """\
import torch
from torch.utils.data import TensorDataset, random_split

rows = TensorDataset(torch.rand(99, 2))
n_train = int(0.7 * len(rows))
n_val = int(0.2 * len(rows))
n_test = int(0.1 * len(rows))
parts = random_split(rows, [n_train, n_val, n_test])
print([len(part) for part in parts])
"""

LISTED = """\
import torch
from torch.utils import data

rows = data.TensorDataset(torch.rand(33, 2))
lengths = [int(len(rows) * 0.5), int(len(rows) * 0.5)]
first, second = data.random_split(rows, lengths)
print(len(first) + len(second))
"""

ANOTHER_SET = """\
import torch
from torch.utils.data import TensorDataset, random_split

rows = TensorDataset(torch.rand(60, 2))
train, held_out = random_split(rows, [40, 10])
print(len(train), len(held_out))
"""

FRACTIONS = """\
import torch
from torch.utils.data import TensorDataset, random_split

rows = TensorDataset(torch.rand(73, 2))
n_val = len(rows) * 0.15
n_test = len(rows) * 0.1
n_train = len(rows) - n_val - n_test
parts = random_split(rows, [n_train, n_val, n_test])
print([len(part) for part in parts])
"""

SHARES = """\
import torch
from torch.utils.data import TensorDataset, random_split

rows = TensorDataset(torch.rand(60, 2))
train, held_out = random_split(rows, [0.9, 0.4])
print(len(train))
"""

CASES = Cases(
    mended={},
    paired={
        "two parts": (TWO, ("len(rows) - int(len(rows) * 0.9)]",)),
        "a list with a name": (LISTED, ("0.5), len(rows) - int(len(rows) * 0.5)]",)),
        "no whole numbers": (
            FRACTIONS,
            ("n_val = int(len(rows) * 0.15)\nn_test = int(len(rows) * 0.1)\n",),
        ),
        "by name": (NAMED, ("n_test = len(rows) - n_train - n_val",)),
    },
    refused={"more than rounding": ANOTHER_SET, "shares": SHARES},
    wrong={
        "swallowed": (
            "by name",
            swallow("parts = random_split(rows, [n_train, n_val, n_test])"),
        ),
        "deleted": ("by name", delete("print([len(part) for part in parts])")),
        "one of both": ("a list with a name", swap("(rows, lengths)", "(rows[:32], lengths)")),
        "a part of the data": ("two parts", swap("torch.rand(51, 2)", "torch.rand(50, 2)")),
    },
)
