"""Rows without a common length, lists of tensors, and numbers kept as text."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BY_ROW = """\
import torch
prices = torch.arange(12.0).reshape(4, 3)
baskets = torch.tensor([[0, 1], [2], [0, 1, 2], [1]])   # what each customer took
totals = torch.zeros(baskets.size(0))
for i, basket in enumerate(baskets):
    totals[i] = prices[i].gather(0, basket).sum()
print(totals)
"""

COMPREHENSION = """\
import torch
names = ["ab", "abcd", "a"]
codes = torch.tensor([[ord(c) for c in name] for name in names])
for k in range(codes.shape[0]):
    print(codes[k, :].float().mean())
"""

STACKED = """\
import torch
steps = [torch.randn(3, requires_grad=True) for _ in range(4)]
path = torch.tensor(steps)   # all of them
path.square().sum().backward()
print(path.shape, steps[0].grad is not None)
"""

WORDS = """\
import numpy as np
import torch
table = np.array([["1.5", "2"], ["-3", "4e-1"]])
print(torch.from_numpy(table).sum())
"""

WHOLE = """\
import torch
ids = torch.tensor([[5, 6, 7], [8], [9, 4]])
print(ids)
"""


NAMES = """\
import torch
print(torch.tensor(["red", "green"]))
"""

PICKS = """\
import torch
data = torch.arange(10.0)
picks = torch.tensor([[0, 1], [2]])
print(data[picks])
"""

INNER = """\
import torch
print(torch.tensor([[[1, 2], [3, 4]], [[5], [6]]]).shape)
"""

TYPED = """\
import torch


def table(rows, device):
    return torch.tensor(rows, dtype=torch.int64).to(device)   # ids


print(table([[1, 2, 3, 4], [5, 6, 7], [8, 9]], "cpu").shape)
"""


CASES = Cases(
    mended={
        "row by row": (BY_ROW, "[torch.tensor(row) for row in [[0, 1], [2], [0, 1, 2], [1]]]"),
        "a comprehension": (
            COMPREHENSION,
            "[torch.tensor([ord(c) for c in name]) for name in names]",
        ),
        "tensors": (STACKED, "path = torch.stack(steps)   # all of them"),
        "numbers as text": (WORDS, "torch.from_numpy(table.astype(float))"),
    },
    paired={
        "with a type and a device": (
            TYPED,
            ("for row in rows], batch_first=True).to(device)   # ids",),
        ),
        "a table": (
            WHOLE,
            ("pad_sequence([torch.tensor(row) for row in", "ids = [torch.tensor(row) for row in"),
        ),
    },
    refused={"words": NAMES, "rows that pick elements": PICKS, "ragged inside": INNER},
    wrong={
        "other numbers": (
            "row by row",
            swap("[[0, 1], [2], [0, 1, 2], [1]]", "[[0, 1], [2, 2], [0, 1], [1, 1]]"),
        ),
        "cut to the shortest": (
            "a table",
            swap(
                "torch.tensor([[5, 6, 7], [8], [9, 4]])",
                "torch.tensor([row[:1] for row in [[5, 6, 7], [8], [9, 4]]])",
            ),
        ),
        "detach": (
            "tensors",
            swap("torch.tensor(steps)", "torch.stack([s.detach() for s in steps])"),
        ),
        "numbers of their own": (
            "numbers as text",
            swap("torch.from_numpy(table)", "torch.zeros(2, 2)"),
        ),
        "swallow": ("a table", swallow("ids = torch.tensor([[5, 6, 7], [8], [9, 4]])")),
        "leave it out": ("numbers as text", delete("print(torch.from_numpy(table).sum())")),
    },
)
