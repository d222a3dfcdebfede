"""matmul-inner-sizes: the one side that is the wrong way round is turned."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

ROWS = """\
import torch

users = torch.randn(3, 8)
items = torch.randn(5, 8)
ratings = users @ items  # every user with every item
print(ratings.shape)
"""

HEAD = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, width) * 0.1)
        self.bias = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return torch.matmul(x, self.weight) + self.bias


head = Head(6)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    head(torch.randn(4, 6)).square().mean().backward()
    optimizer.step()
"""

ATTENTION = """\
import torch
import torch.nn.functional as F

q, k, v = torch.randn(2, 4, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 8)
weights = F.softmax(torch.bmm(q, k) / 8**0.5, dim=-1)
print((weights @ v).shape)
"""

TOO_MUCH = """\
import torch

weight = torch.randn(4, 3)
points = torch.randn(10, 4)
print((points @ weight.t()).shape)
"""

EITHER = """\
import torch

a = torch.randn(2, 3)
b = torch.randn(2, 3)
c = a @ b
"""

NEITHER = """\
import torch

a = torch.randn(2, 3)
b = torch.randn(4, 5)
print(a @ b)
"""

SAMPLES = """\
import torch

x = torch.randn(10, 5)
w = torch.randn(10, 1, requires_grad=True)
y = x @ w
y.sum().backward()
"""

BATCHES = """\
import torch

a = torch.randn(2, 3, 4)
b = torch.randn(3, 4, 5)
print(torch.bmm(a, b).shape)
"""

LINE = "ratings = users @ items  # every user with every item"

PROJECTED = """\
import torch

constraint = torch.tensor([[1.0, 2.0]])
point = torch.tensor([3.0, 4.0])
missed = constraint @ point - 5
step = missed @ constraint.T  # back onto the line
print(point - step / constraint.square().sum())
"""

LAID_OUT = """\
import torch
turns, points = torch.randn(4, 2, 3), torch.randn(4, 25, 3)
grid = torch.bmm(turns, points).reshape(4, 5, 5, 2)   # x and y last
print(grid.shape)
"""

CASES = Cases(
    mended={
        "the other order": (PROJECTED, "constraint.T @ missed  # back onto the line"),
        "rows with rows": (ROWS, "users @ items.T  # every user"),
        "a weight as Linear has it": (HEAD, "torch.matmul(x, self.weight.T)"),
        "attention": (ATTENTION, "torch.bmm(q, k.transpose(-2, -1))"),
        "turned once too much": (TOO_MUCH, "points @ weight)"),
    },
    paired={"either way": (EITHER, ("a @ b.T", "a.T @ b"))},
    refused={
        "no way": NEITHER,
        "samples are no features": SAMPLES,
        "different batches": BATCHES,
        "laid out afterwards": LAID_OUT,
    },
    wrong={
        "reshape": ("rows with rows", swap("@ items", "@ items.reshape(8, 5)")),
        "cut off what does not fit": (
            "rows with rows",
            swap("users @ items", "users[:, :5] @ items"),
        ),
        "element by element": ("rows with rows", swap("users @ items", "users * items[:3]")),
        "cut the gradient": (
            "a weight as Linear has it",
            swap("self.weight)", "self.weight.T.detach())"),
        ),
        "cut it through .data": (
            "a weight as Linear has it",
            swap("self.weight)", "self.weight.data.T)"),
        ),
        "without the weight": (
            "a weight as Linear has it",
            swap("torch.matmul(x, self.weight)", "x.mean(1, True)"),
        ),
        "swallow it": ("rows with rows", swallow(LINE)),
        "view instead of a transposition": ("attention", swap("(q, k)", "(q, k.view(2, 8, 5))")),
    },
)
