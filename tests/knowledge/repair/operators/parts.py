"""parts: what `split` and `chunk` make fits what they split, and the names they are given to."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LENGTHS = """\
import torch

table = torch.arange(24).reshape(12, 2)
first, second, third = table.split([5, 4, 4])
print(first.shape)
"""

DATA = """\
import torch
from torch.utils.data import TensorDataset, random_split

whole = TensorDataset(torch.rand(33, 2))
learned = int(0.7 * len(whole))
tried = int(0.3 * len(whole))
train, test = random_split(whole, [learned, tried])
print(len(train))
"""

CHUNKS = """\
import torch
from torch import nn

gates = nn.Linear(4, 12)
forget, enter, leave = gates(torch.rand(2, 4)).chunk(4, dim=-1)
print(forget.shape)
"""

PIECES = """\
import torch

both = torch.rand(3, 10)
mean, spread = torch.split(both, 4, dim=1)
print(mean.shape)
"""

TOO_LONG = """\
import torch

first, second = torch.rand(4, 2).split([7, 2])
"""

UNEVEN = """\
import torch

first, second, third = torch.rand(10, 2).split(5)
"""

CASES = Cases(
    mended={},
    paired={
        "lengths that are too long": (LENGTHS, ("table.split([5, 4, 3])",)),
        "parts of a dataset": (DATA, ("tried = len(whole) - learned",)),
        "a part for each name": (CHUNKS, (".chunk(3, dim=-1)",)),
        "pieces of half the size": (PIECES, ("torch.split(both, both.size(1) // 2, dim=1)",)),
    },
    refused={"nothing is left": TOO_LONG, "no even parts": UNEVEN},
    wrong={
        "swallowed": ("a part for each name", swallow("print(forget.shape)")),
        "deleted": (
            "lengths that are too long",
            delete("first, second, third = table.split([5, 4, 4])"),
        ),
        "a part thrown away": (
            "pieces of half the size",
            swap("torch.split(both, 4, dim=1)", "torch.split(both, 4, dim=1)[:2]"),
        ),
        "a shorter whole": (
            "parts of a dataset",
            swap("random_split(whole,", "random_split(whole[:32],"),
        ),
    },
)
