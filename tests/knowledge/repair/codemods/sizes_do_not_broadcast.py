"""sizes-do-not-broadcast: the one place beside the larger tensor, its transpose, or `@`."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WEIGHTS = """\
import torch

rows = torch.randn(6, 4, requires_grad=True)
per_row = torch.rand(6)
weighted = rows * per_row  # one weight a row
weighted.sum().backward()
print(rows.grad.shape)
"""

CHANNELS = """\
import torch

pictures = torch.rand(2, 5, 8, 8)
mean = torch.rand(5)
print((pictures - mean).shape)
"""

COMPARED = """\
import torch

prices = torch.tensor([[1.0, 4.0], [2.0, 3.0], [5.0, 0.5]])
limit = torch.tensor([2.0, 2.5, 1.0])
print((prices > limit).sum())
"""

TURNED = """\
import torch
from torch import nn

layer = nn.Linear(7, 3)
keep = (torch.rand(7, 3) > 0.5).float()
used = layer.weight * keep
used.sum().backward()
"""

MOVED = """\
import torch
from torch import nn


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)
        self.shift = nn.Linear(2, 6)

    def forward(self, x, condition):
        shift = self.shift(condition)
        shift = shift.unsqueeze(1)  # one for each step
        x = self.norm(x)
        return x + shift


print(Shifted()(torch.rand(3, 6, 11), torch.rand(3, 2)).shape)
"""

GRADIENTS = """\
import torch
from torch import nn

model = nn.Linear(8, 3)
strength = torch.tensor([0.0, 0.5, 1.0])
model(torch.rand(4, 8)).sum().backward()
for parameter in model.parameters():
    parameter.grad *= strength
"""

GROWING = """\
import torch


def shifted(x, bias):
    result = x.sum(dim=1, keepdim=True)
    result += bias
    return result


print(shifted(torch.ones(1, 3), torch.ones(5)).shape)
"""

MATRICES = """\
import torch

stack = torch.rand(4, 2, 3)
maps = torch.rand(4, 3, 5)
print((stack * maps).shape)
"""


MASK = """\
import torch

scores = torch.zeros(2, 3, 5, 5)
padding = torch.zeros(2, 5, dtype=torch.bool)
scores = scores.masked_fill(padding, -1e9)
print(scores.shape)
"""

NOTHING_FITS = """\
import torch

a, b = torch.rand(4, 5), torch.rand(3)
print(a + b)
"""

RESIDUAL = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)

    def forward(self, x):
        return x + self.conv(x)


print(Block()(torch.rand(1, 3, 8, 8)).shape)
"""

CASES = Cases(
    mended={
        "a weight for each row": (WEIGHTS, "rows * per_row.unsqueeze(1)  # one weight a row"),
        "a mean for each channel": (CHANNELS, "pictures - mean.view(-1, 1, 1)"),
        "a limit for each row": (COMPARED, "prices > limit.unsqueeze(1)"),
        "the new dimension elsewhere": (MOVED, "shift.unsqueeze(2)  # one for each step"),
        "matrices and biases": (GRADIENTS, "strength.view(-1, *[1] * (parameter.grad.dim() - 1))"),
        "a sum that grows": (GROWING, "    result = result + bias\n"),
        "a matrix product": (MATRICES, "(stack @ maps).shape"),
    },
    paired={
        "a mask for keys or for queries": (
            MASK,
            ("padding.unsqueeze(1).unsqueeze(2)", "padding.unsqueeze(1).unsqueeze(3)"),
        ),
        "turned, or multiplied": (TURNED, ("layer.weight * keep.T", "layer.weight @ keep")),
    },
    refused={"nothing fits": NOTHING_FITS, "a block that shrinks": RESIDUAL},
    wrong={
        "cut it": ("a weight for each row", swap("rows * per_row", "rows * per_row[:4]")),
        "detach": (
            "a weight for each row",
            swap("rows * per_row", "rows.detach() * per_row.unsqueeze(1)"),
        ),
        "reshape": ("a limit for each row", swap("> limit", "> limit.repeat(2).reshape(3, 2)")),
        "take one": ("a mean for each channel", swap("- mean", "- mean[0]")),
        "leave it out": (
            "matrices and biases",
            swap("    parameter.grad *= strength", "    parameter.grad *= 1"),
        ),
        "swallow it": ("a sum that grows", swallow("result += bias")),
        "delete it": ("a sum that grows", delete("result += bias")),
        "past autograd": (
            "a weight for each row",
            swap("rows * per_row", "rows.data * per_row.unsqueeze(1)"),
        ),
    },
)
