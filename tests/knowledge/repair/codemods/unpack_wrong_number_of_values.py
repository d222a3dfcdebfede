"""unpack-wrong-number-of-values: what vjp, jvp and an LSTMCell return."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

VJP = """\
import torch
from torch.autograd.functional import vjp

x = torch.tensor([0.5, 1.5])
product, = vjp(torch.exp, x, torch.ones(2))  # one number each
print(product)
"""

JVP = """\
import torch

point = torch.tensor([1.0, 2.0])
(slope,) = torch.autograd.functional.jvp(lambda v: v.square(), point, torch.ones(2))
print(slope.shape)
"""

CELL = """\
import torch
from torch import nn

cell = nn.LSTMCell(3, 4)
h, c = torch.zeros(6, 4), torch.zeros(6, 4)
for step in torch.rand(5, 6, 3):
    out, (h, c) = cell(step, (h, c))
out.sum().backward()
"""

SHAPE = """\
import torch

height, width = torch.rand(3, 8, 8).shape
print(height * width)
"""

OWN = """\
import torch


def parts(x):
    return x, x + 1, x + 2


a, b = parts(torch.ones(1))
"""

CASES = Cases(
    mended={
        "a product": (VJP, "_, product = vjp(torch.exp, x, torch.ones(2))  # one number each"),
        "another product": (JVP, "_, slope = torch.autograd.functional.jvp("),
        "a cell": (CELL, "    h, c = cell(step, (h, c))\n    out = h\n"),
    },
    refused={"a shape": SHAPE, "a function of their own": OWN},
    wrong={
        "take the first": (
            "a product",
            swap(
                "product, = vjp(torch.exp, x, torch.ones(2))",
                "product = vjp(torch.exp, x, torch.ones(2))[0]",
            ),
        ),
        "leave it out": (
            "a cell",
            swap("out, (h, c) = cell(step, (h, c))", "out = h = c = step.mean() * h"),
        ),
        "cut": ("a cell", swap("out, (h, c) = cell(step, (h, c))", "out = cell(step, (h, c))[1]")),
        "detach": ("a cell", swap("out, (h, c) = cell(step, (h, c))", "out = h = c = h.detach()")),
        "swallow it": ("a cell", swallow("out, (h, c) = cell(step, (h, c))")),
        "delete it": ("a cell", delete("out, (h, c) = cell(step, (h, c))")),
    },
)
