"""Losses that are no single number: torch's own, a formula, a derivative at every point."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

OWN_LOSS = """\
import torch
from torch import nn
net = nn.Linear(3, 1)
criterion = nn.MSELoss(reduction='none')
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(4, 3), torch.randn(4, 1)
for _ in range(2):
    optimizer.zero_grad()
    loss = criterion(net(x), y)   # one a sample
    loss.backward()
    optimizer.step()
print(loss.item())
"""

CROSS_ENTROPY = """\
import torch
import torch.nn.functional as F
w = torch.randn(5, 3, requires_grad=True)
scores = torch.randn(2, 5) @ w
F.cross_entropy(scores, torch.tensor([0, 2]), reduction="none").backward()
print(w.grad.shape)
"""

SLOPE = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
t = torch.linspace(0, 1, 5).reshape(-1, 1).requires_grad_()
u = net(t)
du = torch.autograd.grad(u, t, create_graph=True)[0]
(du + u).square().mean().backward()   # u' = -u
"""

FORMULA = """\
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x ** 3
y.backward()
print(x.grad)
"""

BY_HAND = """\
import torch
w = torch.zeros(2, requires_grad=True)
x, y = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), torch.tensor([1.0, 0.0, 2.0])
loss = (x @ w - y).abs()
loss.backward()
"""

JACOBIAN = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x.sum()])
y.backward()   # I want the Jacobian
print(x.grad)
"""

TWO_OUTPUTS = """\
import torch
from torch import nn
x = torch.randn(4, 3, requires_grad=True)
u = nn.Linear(3, 2)(x)
du = torch.autograd.grad(u, x)[0]
"""

COMPLEX = """\
import torch
a = torch.tensor([[0.0, 1.0], [-1.0, 0.5]], requires_grad=True)
values = torch.linalg.eigvals(a)
loss = values.prod() + values[0]
loss.backward()   # the real part goes down
"""

WITH_A_NUMBER = """\
import torch
z = torch.tensor([1.0, -2.0, 0.5])
weight = 0.1
x = z.clone().requires_grad_(True)
for _ in range(2):
    loss = (x * 3 - z).abs() + 0.5 * torch.norm(x) ** 2 / weight  # one penalty
    loss.backward()
print(x.grad)
"""

ADDED_UP = """\
import torch
from torch import nn


class Squares(nn.Module):
    def forward(self, y, target):
        return (y - target).square() * torch.tensor([1.0, 2.0])


net, criterion = nn.Linear(3, 2), Squares()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
total = 0.0
for rows in (4, 4, 2):
    x, y = torch.randn(rows, 3), torch.randn(rows, 2)
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    total += loss.detach()
print(total.item() / 3)
"""

CASES = Cases(
    mended={
        "a loss of torch": (OWN_LOSS, "loss = criterion(net(x), y).mean()   # one a sample"),
        "cross entropy": (CROSS_ENTROPY, 'reduction="none").mean().backward()'),
        "a complex loss": (COMPLEX, "loss.real.backward()   # the real part"),
        "a slope": (SLOPE, "autograd.grad(u, t, grad_outputs=torch.ones_like(u), create_graph"),
    },
    paired={
        "a formula": (FORMULA, ("y.mean().backward()", "y.sum().backward()")),
        "a number beside it": (
            WITH_A_NUMBER,
            ("(x * 3 - z).abs().mean() + 0.5", "(x * 3 - z).abs().sum() + 0.5"),
        ),
        "a loss that is added up": (
            ADDED_UP,
            ("criterion(net(x), y).mean()", "criterion(net(x), y).sum()"),
        ),
        "a loss by hand": (BY_HAND, ("(x @ w - y).abs().mean()", "(x @ w - y).abs().sum()")),
    },
    refused={
        "a Jacobian": JACOBIAN,
        "two outputs a point": TWO_OUTPUTS,
        "a complex loss": COMPLEX.replace("   # the real part goes down", ""),
    },
    wrong={
        "one element": ("a formula", swap("y.backward", "y[0].backward")),
        "the largest": ("a loss by hand", swap("loss.backward", "loss.max().backward")),
        "a leaf of its own": (
            "a formula",
            swap("y.backward", "y.detach().mean().requires_grad_().backward"),
        ),
        "leave it out": ("a loss by hand", delete("loss.backward()")),
        "swallow": ("a formula", swallow("y.backward()")),
        "past autograd": (
            "a formula",
            swap("y.backward", "y.data.sum().requires_grad_().backward"),
        ),
    },
)
