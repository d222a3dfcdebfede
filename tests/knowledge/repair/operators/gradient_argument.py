"""gradient-argument: what backward is given has the shape of what it starts from, or is none."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NUMBER = """\
import torch

w = torch.rand(3, requires_grad=True)
cost = (w * 2).sum()
cost.backward(gradient=torch.ones(3))
print(w.grad)
"""

SECOND = """\
import torch

t = torch.linspace(0, 1, 9, requires_grad=True)
height = t**3
(speed,) = torch.autograd.grad(height, t, torch.ones_like(t), create_graph=True)
(change,) = torch.autograd.grad(speed.mean(), t, grad_outputs=torch.ones_like(t))
print(change.shape)
"""

COLUMN = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
result = net(torch.rand(5, 2))
result.backward(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]))
print(net.weight.grad.shape)
"""

WEIGHED = """\
import torch

x = torch.rand(3, requires_grad=True)
y = x.exp()
z = y.sum()
z.backward(gradient=torch.tensor([0.2, 0.3, 0.5]))
print(x.grad)
"""

OTHER = """\
import torch

x = torch.rand(4, requires_grad=True)
(x * 2).backward(torch.tensor([1.0, 2.0]))
"""

OF_NOTHING = """\
import torch

x = torch.rand(4, requires_grad=True)
loss = torch.dot(x, x)
loss.backward(torch.tensor([1.0, 2.0]))
"""

CASES = Cases(
    mended={},
    paired={
        "one number": (NUMBER, ("cost.backward()",)),
        "a second derivative": (SECOND, ("torch.autograd.grad(speed.mean(), t)",)),
        "a column": (COLUMN, (".view_as(result))",)),
    },
    refused={
        "of another length": OTHER,
        "weights of nothing": OF_NOTHING,
        "weights of what was summed": WEIGHED,
    },
    wrong={
        "swallowed": ("one number", swallow("cost.backward(gradient=torch.ones(3))")),
        "deleted": ("one number", delete("cost.backward(gradient=torch.ones(3))")),
        "cut": (
            "one number",
            swap("cost.backward(gradient=torch.ones(3))", "cost.detach().backward()"),
        ),
        "of a leaf": (
            "a column",
            swap("result.backward(", "torch.rand(5, requires_grad=True).backward("),
        ),
    },
)
