"""Indices that are floats, values of another dtype than their target."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ROWS = """\
import torch
table = torch.eye(4)
rows = torch.tensor([0.0, 3.0])   # from a file
print(table[rows])
"""

WORDS = """\
import torch
from torch import nn
table = nn.Embedding(6, 2)
words = torch.zeros(2, 3)
print(table(words).shape)
"""

COUNTS = """\
import torch
counts = torch.zeros(3)
groups = torch.tensor([0, 2, 2])
counts.scatter_add_(0, groups, torch.ones_like(groups))
print(counts)
"""

PIXELS = """\
import torch
codes = torch.tensor([1, 2], dtype=torch.uint8)
values = torch.arange(10.0)
print(values.gather(0, codes))
"""

PART = """\
import torch
marks = torch.zeros(4)
marks[torch.tensor([1, 3])] = torch.tensor([5, 6])
print(marks)
"""

FRACTIONS = """\
import torch
table = torch.eye(4)
where = torch.tensor([0.2, 2.7])
print(table[where])
"""

ROUNDED = """\
import torch
whole = torch.zeros(3, dtype=torch.long)
whole[torch.tensor([0, 2])] = torch.tensor([0.5, 1.5])
print(whole)
"""

TWO_OF_THEM = """\
import torch
from torch import nn
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4)
    def forward(self, a, b):
        return (self.table(a) * self.table(b)).sum(-1)
left = torch.randint(0, 9, (3, 30)).float()
right = torch.randint(0, 9, (3, 30)).double()
print(Pair()(left, right).shape)   # alike
"""

INTO_INTEGERS = """\
import torch

counts = torch.tensor([[1, 2], [3, 4], [5, 6]])
smooth = counts.clone()  # the same, smoothed
smooth[torch.tensor([0, 2])] = torch.sqrt(counts[[0, 2]])
print(smooth.shape)
"""

CASES = Cases(
    mended={
        "floats into integers": (INTO_INTEGERS, "counts.clone().float()  # the same, smoothed"),
        "rows": (ROWS, "print(table[rows.long()])"),
        "words": (WORDS, "print(table(words.long()).shape)"),
        "counts": (COUNTS, "torch.ones_like(groups).float())"),
        "pixels": (PIXELS, "values.gather(0, codes.long())"),
        "two of them": (TWO_OF_THEM, "print(Pair()(left.long(), right.long()).shape)   # alike"),
        "a part": (PART, "= torch.tensor([5, 6]).float()"),
    },
    refused={"fractions": FRACTIONS, "rounded": ROUNDED},
    wrong={
        "other rows": ("rows", swap("torch.tensor([0.0, 3.0])", "torch.tensor([0, 2])")),
        "a mask": ("rows", swap("torch.tensor([0.0, 3.0])", "torch.tensor([1, 0, 0, 1]).bool()")),
        "leave it out": (
            "counts",
            delete("counts.scatter_add_(0, groups, torch.ones_like(groups))"),
        ),
        "thrown away": (
            "counts",
            swap(
                "scatter_add_(0, groups, torch.ones_like(groups))",
                "scatter_add(0, groups, torch.ones(3))",
            ),
        ),
        "swallow": ("pixels", swallow("print(values.gather(0, codes))")),
    },
)
