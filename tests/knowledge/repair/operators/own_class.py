"""own-class: a method names its own class, and `__iter__` gives an iterator."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

COPIED = """\
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super(Encoder, self).__init__()
        self.layer = nn.Linear(4, 2)


class Decoder(nn.Module):
    def __init__(self):
        super(Encoder, self).__init__()
        self.layer = nn.Linear(2, 4)

    def forward(self, x):
        return self.layer(x)


print("building")
print(Decoder()(torch.rand(3, 2)).shape)
"""

SAMPLER = """\
import torch
from torch.utils.data import DataLoader, Sampler, TensorDataset


class Backwards(Sampler):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return list(range(self.rows))[::-1]

    def __len__(self):
        return self.rows


rows = TensorDataset(torch.arange(6.0))
for (batch,) in DataLoader(rows, batch_size=3, sampler=Backwards(6)):
    print(batch.tolist())
"""

TWO_RETURNS = """\
class Halves:
    def __init__(self, values, first):
        self.values, self.first = values, first

    def __iter__(self):
        half = len(self.values) // 2
        if self.first:
            return self.values[:half]
        return self.values[half:]


print(sum(Halves([1, 2, 3, 4], True)))
"""

MADE_ANEW = """\
class Shape:
    def __init__(self):
        super(Shape, self).__init__()


old = Shape()


class Shape:
    pass


type(old).__init__(old)
"""

TWO_CLASSES = """\
class Rows:
    def __iter__(self):
        return [1, 2]


class Columns:
    def __iter__(self):
        return [3, 4]


print(list(Rows()), list(Columns()))
"""

PARENT = """\
import torch
from torch import nn


class Block(nn.Sequential):
    def __init__(self, size):
        super(Block, self).__init__(nn.Linear(size, size), nn.ReLU())


class Residual(Block):
    def __init__(self, size):
        super(Block, self).__init__(size)   # of a size

    def forward(self, x):
        return x + super().forward(x)


print(Residual(3)(torch.ones(2, 3)).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "copied from another class": (COPIED, ("super(Decoder, self).__init__()",)),
        "past its parent": (PARENT, ("super(Residual, self).__init__(size)   # of a size",)),
        "a sampler": (SAMPLER, ("return iter(list(range(self.rows))[::-1])",)),
        "two returns": (
            TWO_RETURNS,
            ("return iter(self.values[:half])\n        return iter(self.values[half:])",),
        ),
    },
    refused={"a class that was defined anew": MADE_ANEW, "either of two": TWO_CLASSES},
    wrong={
        "nothing of the module set up": (
            "copied from another class",
            swap("super(Encoder, self).__init__()\n        self.layer = nn.Linear(2, 4)", "pass"),
        ),
        "its parent's parts": ("past its parent", swap("__init__(size)", "__init__()")),
        "swallowed": (
            "copied from another class",
            swallow("print(Decoder()(torch.rand(3, 2)).shape)"),
        ),
        "another line deleted": ("copied from another class", delete('print("building")')),
        "not gone over": ("two returns", delete("print(sum(Halves([1, 2, 3, 4], True)))")),
    },
)
