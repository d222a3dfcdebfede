"""cast: the data take the dtype of what they meet."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SOLVE = """\
import torch
A = torch.eye(3) * 2
counts = torch.tensor([[1], [2], [3]])
print("solving")
solution = torch.linalg.solve(A, counts)
print(solution.shape)
"""

FILLED = """\
import torch

def fill(table, where, rows):
    return table.masked_scatter(where, rows)

rows = torch.arange(4)
print(fill(torch.full((2, 2), 0.5), torch.ones(2, 2).bool(), rows))
"""

LSTSQ = """\
import torch
points = torch.tensor([[1, 0], [1, 1], [1, 2]])
heights = torch.tensor([[0.5], [1.5], [2.5]])
line = torch.linalg.lstsq(points, heights).solution
print(line.shape)
"""

TWO_PRECISIONS = """\
import torch
basis = torch.eye(3, dtype=torch.float64)
target = torch.ones(3, 1)
print(torch.linalg.solve(basis, target).shape)
"""

OF_A_MASK = """\
import torch
import torch.nn.functional as F

q = torch.rand(2, 1, 5, 4)
mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])[:, None, None, :]
print(F.scaled_dot_product_attention(q, q, q, attn_mask=mask).shape)
"""

OF_THE_LOSS = """\
import torch
from torch import nn

torch.manual_seed(0)
depth = torch.rand(12, 3)
salt = torch.rand(12, 1, dtype=torch.float64)
net, distance = nn.Linear(3, 1), nn.HuberLoss()
loss = distance(net(depth), salt) + 0.01 * net.weight.norm()
loss.backward()
print("went back")
"""

SINGULAR = """\
import torch
A = torch.ones(2, 2)
b = torch.tensor([[1], [2]])
print(torch.linalg.solve(A, b))
"""

TEXT = """\
import torch
print(torch.tensor([1.0]) + "long")
"""

INTO = """\
import torch

def sums(of, belongs):
    total = torch.zeros(2, 3, dtype=belongs.dtype)
    return total.index_add_(0, belongs, of)

print(sums(torch.rand(4, 3), torch.tensor([0, 1, 1, 0])).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "whole numbers to be solved for": (SOLVE, ("torch.linalg.solve(A, counts.float())",)),
        "in a function": (FILLED, ("table.masked_scatter(where, rows.float())",)),
        "the first operand": (LSTSQ, ("lstsq(points.float(), heights)",)),
        "a mask of whole numbers": (OF_A_MASK, ("attn_mask=mask.to(torch.bool)",)),
        "what is written into": (INTO, ("torch.zeros(2, 3, dtype=torch.float32)",)),
        "what the loss compares": (OF_THE_LOSS, ("distance(net(depth), salt.float())",)),
        "two precisions": (
            TWO_PRECISIONS,
            ("solve(basis.float(), target)", "solve(basis, target.double())"),
        ),
    },
    refused={"no solution in any dtype": SINGULAR, "not a tensor at all": TEXT},
    wrong={
        "the other operand cut off": (
            "the first operand",
            swap("lstsq(points, heights)", "lstsq(points.float(), heights.long().float())"),
        ),
        "the loss cut off": (
            "what the loss compares",
            swap("loss.backward()", "loss.detach().float().requires_grad_().backward()"),
        ),
        "the fractions cut off": (
            "what is written into",
            swap("belongs, of)", "belongs, of.long())"),
        ),
        "swallowed": ("whole numbers to be solved for", swallow(SOLVE.splitlines()[4])),
        "deleted": ("in a function", delete(FILLED.splitlines()[-1])),
        "other numbers": (
            "in a function",
            swap("where, rows)\n\n", "where, torch.rand(4))\n\n"),
        ),
    },
)
