"""Gradients that are not there: of results, before the first backward."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

HIDDEN = """\
import torch
from torch import nn
layer, head = nn.Linear(3, 4), nn.Linear(4, 1)
hidden = torch.tanh(layer(torch.ones(2, 3)))
loss = head(hidden).square().mean()
loss.backward()   # all
print(hidden.grad.shape)
"""

BEFORE = """\
import torch
w = torch.ones(3, requires_grad=True)
for _ in range(2):
    w.grad.zero_()   # reset
    (w * 2).sum().backward()
print(w.grad)
"""

IN_FUNCTION = """\
import torch
def slope(x):
    y = x ** 2
    y.sum().backward()
    return y.grad.sum()
print(slope(torch.tensor([1.0, 2.0], requires_grad=True)))
"""

UNUSED = """\
import torch
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
a.sum().backward()
print(b.grad.sum())
"""

DETACHED = """\
import torch
x = torch.ones(2, requires_grad=True)
y = (x * 2).detach()
x.sum().backward()
print(y.grad.sum())
"""

BY_DATA = """\
import torch

torch.manual_seed(0)
a, b = torch.rand(3, requires_grad=True), torch.zeros(1, requires_grad=True)
x, y = torch.rand(8, 3), torch.rand(8)
for _ in range(3):
    loss = (x @ a + b - y).square().mean()
    a.grad.zero_()   # both anew
    b.grad.zero_()
    loss.backward()
    a.data -= 0.1 * a.grad
    b.data -= 0.1 * b.grad
"""

BY_SUB = """\
import torch

torch.manual_seed(0)
a, b = torch.rand(3, requires_grad=True), torch.zeros(1, requires_grad=True)
x, y = torch.rand(8, 3), torch.rand(8)
for _ in range(3):
    a.grad.zero_()
    (x @ a - y).abs().sum().backward()
    a.data.sub_(0.1 * a.grad)
"""

SLICED = """\
import torch

torch.manual_seed(0)
a, b = torch.rand(3, requires_grad=True), torch.zeros(1, requires_grad=True)
x, y = torch.rand(8, 3), torch.rand(8)
for _ in range(2):
    a.grad.zero_()
    (x @ a - y).abs().sum().backward()
    a.data[:2] -= 0.1 * a.grad[:2]
"""

CASES = Cases(
    mended={
        "by its data": (BY_DATA, '    a.grad = None   # both anew\n    b.grad = None'),
        "by its data in place": (BY_SUB, '    a.grad = None\n'),
        "a part of its data": (SLICED, '    a.grad = None\n'),

        "a hidden layer": (HIDDEN, "hidden.retain_grad()\nloss.backward()   # all"),
        "before backward": (BEFORE, "    w.grad = None   # reset"),
        "in a function": (IN_FUNCTION, "    y.retain_grad()\n    y.sum().backward()"),
    },
    refused={"unused": UNUSED, "in the default": DETACHED},
    wrong={
        "another leaf": ("a hidden layer", swap(
            "layer(torch.ones(2, 3)))", "layer(torch.ones(2, 3))).detach().requires_grad_()")),
        "leave it out": ("before backward", delete("w.grad.zero_()   # reset")),
        "swallow": ("a hidden layer", swallow("print(hidden.grad.shape)")),
        "no backward": ("before backward", delete("(w * 2).sum().backward()")),
    },
)  # fmt: skip
