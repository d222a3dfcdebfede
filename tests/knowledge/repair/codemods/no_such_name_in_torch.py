"""Names that belong to the tensor, or to NumPy."""

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

FUNCTION = """\
import torch
counts = torch.zeros(3)
labels = torch.tensor([0, 2, 2])
torch.scatter_add_(counts, 0, labels, torch.ones(3))   # how many of each
print(counts)
"""

TWICE = """\
import torch
sums, counts = torch.zeros(2), torch.zeros(2)
group = torch.tensor([0, 1, 1])
torch.index_add_(sums, 0, group, torch.tensor([1.0, 2.0, 3.0]))
torch.index_add_(counts, 0, group, torch.ones(3))
print(sums / counts)
"""

NUMPY = """\
import numpy as np
import torch
x = torch.tensor([1.0, 2.0])
print(x.astype(np.int64))
"""

IN_PLACE = """\
import torch
x = torch.arange(6)
x.reshape_(2, 3)
print(x.shape)
"""

SPECTRUM = """\
import torch
signal = torch.sin(torch.linspace(0, 20, 64))
parts = torch.rfft(signal, 1)
print(parts.shape, parts.pow(2).sum(-1).argmax())
"""

MADE_UP = """\
import torch
x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
print(torch.rolling_mean(x, 2))
"""

ROWS = """\
import torch
def spread(row):
    return row.max() - row.min()   # of one row
table = torch.tensor([[1.0, 4.0], [2.0, 2.5]])
print(torch.apply_along_axis(spread, 1, table))
"""

COLUMNS = """\
import torch
def longest(values):
    return max(values.tolist())
def per_column(table, axis):
    return torch.apply_along_axis(lambda c: c / longest(c), axis, table)
print(per_column(torch.tensor([[1.0, 4.0], [2.0, 8.0]]), 0))
"""

GAPS = """\
import torch
heights = torch.tensor([[1.5, float("nan")], [0.5, 2.0]])
print(torch.nanmax(heights, axis=1), torch.zeros(1))
"""

SHARED = """\
import torch
mine, yours = torch.tensor([3, 1, 3]), torch.tensor([3, 2])
print(torch.intersect1d(mine, yours))   # in both
"""

DIAGONAL = """\
import torch
grid = torch.zeros(3, 3)
own = torch.tensor([1.0, 2.0, 3.0])
torch.fill_diagonal_(grid, own)
print(grid)
"""

PREDICTED = """\
import torch
predicted, wanted = torch.randn(8, 3), torch.randn(8, 3)   # what a model gave
optimizer = torch.optim.Adam(predicted.parameters(), lr=0.1)
(predicted - wanted).square().mean().backward()
optimizer.step()
"""

NO_LAYER = """\
import torch
from torch import nn
layer = nn.ConvLSTM2d(1, 2, 3)
print(layer(torch.randn(1, 1, 4, 4)))
"""

NO_FUNCTION = """\
import torch
print(torch.version.cpu)
"""

AND_BACK = """\
import torch
signal = torch.sin(torch.arange(0, 15.0))
parts = torch.rfft(signal, 1)
print(torch.irfft(parts, 1, signal_sizes=(15,)).shape)   # as long as before
"""

CASES = Cases(
    mended={
        "a method": (FUNCTION, "counts.scatter_add_(0, labels, torch.ones(3))   # how many"),
        "two of them": (TWICE, "counts.index_add_(0, group, torch.ones(3))"),
        "from NumPy": (NUMPY, "print(x.to(torch.int64))"),
        "no in-place form": (IN_PLACE, "x = x.reshape(2, 3)"),
        "a spectrum": (SPECTRUM, "parts = torch.view_as_real(torch.fft.rfft(signal))"),
        "and back": (AND_BACK, "torch.fft.irfft(torch.view_as_complex(parts), n=15).shape)   # as"),
        "of every row": (ROWS, "print(torch.vmap(spread)(table))"),
        "one column after another": (COLUMNS, "for column in table.unbind(1)], dim=-1)"),
        "without NaN": (GAPS, "torch.nanquantile(heights, 1.0, dim=1)"),
        "in both": (SHARED, "mine[torch.isin(mine, yours)].unique())   # in both"),
        "a diagonal": (DIAGONAL, "grid.diagonal().copy_(own)"),
    },
    refused={
        "no function": NO_FUNCTION,
        "made up": MADE_UP,
        "no such layer": NO_LAYER,
        "a prediction": PREDICTED,
    },
    wrong={
        "thrown away": ("a method", swap("torch.scatter_add_(", "torch.scatter_add(")),
        "thrown away too": ("no in-place form", swap("x.reshape_", "x.reshape")),
        "leave it out": (
            "a method",
            swap("torch.scatter_add_(counts, 0, labels, torch.ones(3))   # how many of each\n", ""),
        ),
        "swallow": ("from NumPy", swallow("print(x.astype(np.int64))")),
        "only the name": ("no in-place form", swap("x.reshape_(2, 3)", "x.reshape_")),
    },
)
