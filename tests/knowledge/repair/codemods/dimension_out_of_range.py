"""dimension-out-of-range: diagonals of a batch, a picture for unfold, a row or one dimension."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

DIAGONALS = """\
import torch

covariances = torch.eye(3).repeat(4, 1, 1)
print(torch.diag(covariances).sum())  # of each
"""

WINDOWS = """\
import torch
import torch.nn.functional as F

picture = torch.rand(5, 5, requires_grad=True)
windows = F.unfold(picture, kernel_size=2)  # all of them
windows.max(dim=1).values.sum().backward()
"""

ROW = """\
import torch

scores = torch.tensor([1.0, 2.0, 3.0])
print(torch.softmax(scores, dim=1))
"""

TRACES = """\
import torch

matrices = torch.rand(2, 5, 3, 3, requires_grad=True)
traces = torch.diag(matrices)
traces.sum().backward()
"""

TWO = """\
import torch

table = torch.rand(3, 4)
print(table.sum(dim=2))
"""

MIXED_UP = """\
import torch
import torch.nn.functional as F

picture = torch.rand(5, 5)
windows = F.unfold(picture, kernel_size=2)
print(windows.reshape(16, 2, 2))
"""

CASES = Cases(
    mended={
        "diagonals": (DIAGONALS, "torch.diagonal(covariances, dim1=-2, dim2=-1).sum())  # of each"),
        "windows": (WINDOWS, "picture.unsqueeze(0).unsqueeze(0), kernel_size=2)  # all of them"),
        "of many matrices": (TRACES, "torch.diagonal(matrices, dim1=-2, dim2=-1)"),
    },
    paired={"a row, or one dimension": (ROW, ("scores.unsqueeze(0), dim=1", "scores, dim=0"))},
    refused={"which of two": TWO, "windows mixed up afterwards": MIXED_UP},
    wrong={
        "only the first": ("diagonals", swap("diag(covariances)", "diag(covariances[0])")),
        "detach": ("of many matrices", swap("torch.diag(matrices)", "matrices.detach()")),
        "reshape": ("windows", swap("F.unfold(picture,", "F.unfold(picture.reshape(1, 1, 5, 5),")),
        "leave it out": ("a row, or one dimension", swap("torch.softmax(scores, dim=1)", "scores")),
        "swallow it": ("of many matrices", swallow("traces.sum().backward()")),
        "delete it": ("of many matrices", delete("traces.sum().backward()")),
    },
)
