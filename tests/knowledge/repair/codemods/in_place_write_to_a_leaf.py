"""Writes into leaves: updates, computations, and those that may be either."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BY_HAND = """\
import torch
x = torch.linspace(0, 1, 20)
y = 3 * x + 1
a = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(3):
    loss = (a * x + b - y).square().mean()
    loss.backward()
    a -= 0.1 * a.grad   # slope
    b -= 0.1 * b.grad   # offset
    a.grad.zero_()
    b.grad.zero_()
print(loss.item())
"""

START = """\
import torch
from torch import nn
net = nn.Linear(4, 2)
net.weight.normal_(0, 0.02)
net(torch.randn(3, 4)).square().mean().backward()
"""

MASKED = """\
import torch
from torch import nn
class Relu(nn.Module):
    def forward(self, x):
        x[x < 0] = 0   # keep what is positive
        return x
picture = torch.tensor([-1.0, 2.0, 3.0], requires_grad=True)
Relu()(picture).sum().backward()
print(picture.grad)
"""

ACTIVATION = """\
import torch
from torch import nn
inputs = torch.tensor([-1.0, 2.0], requires_grad=True)
out = nn.functional.relu(inputs, inplace=True)
out.sum().backward()
print(inputs.grad)
"""

ACTIVATION_SHOWN = ACTIVATION.replace("inplace=True)", "inplace=True)   # in place")

CLAMPED = """\
import torch
scale = torch.tensor([2.0, -3.0], requires_grad=True)
optimizer = torch.optim.SGD([scale], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    (scale * 3).square().sum().backward()
    optimizer.step()
    scale.clamp_(0, 1)
print(scale)
"""

SHIFTED = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
x *= 3
loss = x.square().sum()
loss.backward()
print(x.grad)
"""

ROW = """\
import torch
table = torch.ones(3, 2, requires_grad=True)
table[0] = 7.0
loss = table.square().sum()
loss.backward()
"""

AMONG_OTHERS = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
total = 0
for i in range(2):
    x[i] = x[i] * 2; total = total + x[i]
total.backward()
print(x.grad)
"""

OUTSIDE = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([1.0, 2.0], requires_grad=True)
def shift():
    global x
    x += y
    return x.sum()
shift().backward()
"""

GOES_ON = """\
import torch
a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([3.0], requires_grad=True)
c = a.mul_(b)   # the product
c.backward()
print(a.grad, b.grad)
"""

SHOWN = """\
import torch
a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([3.0], requires_grad=True)
c = a.mul_(b)   # in-place product
c.backward()
print(a.grad, b.grad)
"""

ANNOUNCED = """\
import torch

weight = torch.tensor([1.0, 2.0], requires_grad=True)
weight += 1  # in-place update of a leaf
loss = (weight * 3).sum()
loss.backward()
print(weight.grad)
"""

NUDGED = """\
import torch

w = torch.rand(4, 2, requires_grad=True)
w[1] *= 1.0001   # a little
print(w.shape)
"""

BIASED = """\
import torch
from torch import nn

net = nn.Linear(3, 2)
with_more = net.bias
with_more[0] += 1e-5   # hardly anything
print(net(torch.ones(3)).shape)
"""

DRIFT = """\
import torch

drift = torch.full((5,), 100.0, requires_grad=True)
drift[:3] -= 0.001   # a step
print(len(drift))
"""

CASES = Cases(
    mended={
        "hardly anything": (BIASED, "with torch.no_grad():\n    with_more[0] += 1e-5   # hardly"),
        "training by hand": (
            BY_HAND,
            "    with torch.no_grad():\n        a -= 0.1 * a.grad   # slope\n"
            "        b -= 0.1 * b.grad   # offset\n    a.grad.zero_()",
        ),
        "start values": (START, "with torch.no_grad():\n    net.weight.normal_(0, 0.02)"),
        "a mask in forward": (MASKED, "        x = x.clone()\n        x[x < 0] = 0   # keep"),
        "a result of its own": (GOES_ON, "c = a.mul(b)   # the product"),
        "a change in place that is announced": (SHOWN, "c = a.clone().mul_(b)   # in-place"),
        "inplace=True": (ACTIVATION, "out = nn.functional.relu(inputs)"),
        "inplace=True that is announced": (
            ACTIVATION_SHOWN,
            "relu(inputs.clone(), inplace=True)   # in place",
        ),
        "clamp after the step": (CLAMPED, "    with torch.no_grad():\n        scale.clamp_(0, 1)"),
    },
    paired={
        "a little": (
            NUDGED,
            ("with torch.no_grad():\n    w[1] *= 1.0001", "w = w.clone()\nw[1] *= 1"),
        ),
        "a small step": (
            DRIFT,
            ("with torch.no_grad():\n    drift[:3] -= 0.001   # a step", "drift = drift.clone()"),
        ),
        "called a change in place": (
            ANNOUNCED,
            (
                "with torch.no_grad():\n    weight += 1  # in-place",
                "weight_new = weight.clone()\nweight_new += 1  # in-place",
            ),
        ),
        "scale": (
            SHIFTED,
            ("with torch.no_grad():\n    x *= 3", "x_new = x * 3\nloss = x_new.square()"),
        ),
        "a row": (ROW, ("with torch.no_grad():\n    table[0] = 7.0", "table = table.clone()")),
    },
    refused={"two statements on the line": AMONG_OTHERS, "a variable from outside": OUTSIDE},
    wrong={
        "write past autograd": (
            "training by hand",
            swap(
                "a -= 0.1 * a.grad   # slope\n    b -= ",
                "a.data -= 0.1 * a.grad   # slope\n    b.data -= ",
            ),
        ),
        "write through detach": ("a row", swap("table[0] =", "table.detach()[0] =")),
        "drop the product": ("scale", swap("x *= 3", "x * 3")),
        "leave it out": ("a row", delete("table[0] = 7.0")),
        "swallow": ("scale", swallow("x *= 3")),
        "no gradient wanted": ("scale", swap(", requires_grad=True", "")),
        "the leaf is lost": ("scale", swap("x *= 3", "x = x * 3")),
        "detached": ("a mask in forward", swap("x[x < 0] = 0", "x = x.detach().clamp(min=0)")),
    },
)
