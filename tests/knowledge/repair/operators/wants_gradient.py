"""wants-gradient: the tensors that a gradient is asked of are told to have one, where made."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

EQUATION = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))


def residual(u, place, time):
    u_x = torch.autograd.grad(u, place, torch.ones_like(u), create_graph=True)[0]
    u_t = torch.autograd.grad(u, time, torch.ones_like(u), create_graph=True)[0]
    return u_t - u_x


x = torch.linspace(0, 1, 9).reshape(-1, 1)
t = torch.rand(9, 1)
u = net(torch.cat([x, t], dim=1))
loss = residual(u, x, t).pow(2).mean()
loss.backward()
print(net[0].weight.grad.shape)
"""

HOOK = """\
import torch

heat = torch.ones(3)
heat.register_hook(lambda g: print("came back", g))
(heat * 2).sum().backward()
"""

KEPT = """\
import torch

weight = torch.tensor([1.0, 2.0])
twice = weight * 2
twice.retain_grad()
twice.sum().backward()
print(twice.grad)
"""

WHOLE_NUMBERS = """\
import torch

ids = torch.tensor([1, 2])
ids.register_hook(print)
"""

OF_TWO = """\
import torch

a, b = torch.rand(3), torch.rand(3)
total = a + b
total.retain_grad()
total.sum().backward()
"""

SCALED = EQUATION.replace("torch.rand(9, 1)", "2 * torch.rand(9, 1) - 1", 1)

STEPS = """\
import torch

torch.manual_seed(0)
w, b = torch.randn(3, requires_grad=True), torch.zeros(1, requires_grad=True)
for _ in range(2):
    loss = (torch.ones(4, 3) @ w + b).pow(2).mean()
    loss.backward()
    w = w - 0.1 * w.grad
    b = b - 0.1 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w.shape)
"""

NEVER_STEPPED = """\
import torch

w = torch.randn(3, requires_grad=True)
v = w * 2
v = v - 1
w.grad.mul_(0.5)
print(v)
"""

A_RESULT = """\
import torch

torch.manual_seed(0)
x, y = torch.rand(8, 3), torch.tensor([0, 1, 1, 0, 1, 0, 0, 1])
weight = torch.randn(3, 2, requires_grad=True) * 0.1
bias = torch.zeros(2, requires_grad=True)
for _ in range(3):
    loss = torch.nn.functional.cross_entropy(x @ weight + bias, y)
    loss.backward()
    with torch.no_grad():
        for p in (weight, bias):
            p -= 0.5 * p.grad
            p.grad.zero_()
print("trained")
"""

A_RESULT_OF_DOUBLES = (
    A_RESULT.replace("requires_grad=True) * 0.1", "requires_grad=True).double()")
    .replace("torch.rand(8, 3)", "torch.rand(8, 3).double()")
    .replace("torch.zeros(2,", "torch.zeros(2, dtype=torch.float64,")
)

TWO_RESULTS = """\
import torch

torch.manual_seed(0)
a = torch.rand(3, requires_grad=True) - 0.5
b = 2 * torch.rand(3, requires_grad=True)
(a * b).sum().backward()
step = 0.1 * a.grad
other = 0.1 * b.grad
print(step.shape, other.shape)
"""

NO_BACKWARD = """\
import torch

weight = torch.rand(3, requires_grad=True)
print(0.1 * weight.grad)
"""

OF_ANOTHER = """\
import torch

weight = torch.rand(3, requires_grad=True)
twice = weight * 2
twice.sum().backward()
print(0.1 * twice.grad)
"""

CASES = Cases(
    mended={},
    paired={
        "steps of one's own": (
            STEPS,
            ("    with torch.no_grad():\n        w -= 0.1 * w.grad\n        b -= 0.1 * b.grad\n",),
        ),
        "an equation": (EQUATION, ("t = torch.rand(9, 1, requires_grad=True)",)),
        "drawn and scaled": (SCALED, ("(2 * torch.rand(9, 1) - 1).requires_grad_()",)),
        "a hook": (HOOK, ("torch.ones(3, requires_grad=True)",)),
        "a gradient on the way": (KEPT, ("torch.tensor([1.0, 2.0], requires_grad=True)",)),
        "a result": (A_RESULT, ("weight = (torch.randn(3, 2) * 0.1).requires_grad_()\n",)),
        "a result of another dtype": (
            A_RESULT_OF_DOUBLES,
            ("weight = torch.randn(3, 2).double().requires_grad_()\n",),
        ),
        "two results": (
            TWO_RESULTS,
            ("(torch.rand(3) - 0.5).requires_grad_()\nb = (2 * torch.rand(3)).requires_grad_()",),
        ),
    },
    refused={
        "no backward": NO_BACKWARD,
        "a result of another": OF_ANOTHER,
        "no step of its own": NEVER_STEPPED,
        "whole numbers": WHOLE_NUMBERS,
        "made of two": OF_TWO,
    },
    wrong={
        "a result's step swallowed": ("a result", swallow("p -= 0.5 * p.grad")),
        "no step of a result": ("a result", delete("p -= 0.5 * p.grad")),
        "a result cut off": (
            "a result of another dtype",
            swap("x @ weight", "x @ weight.detach()"),
        ),
        "the bias alone": ("a result", swap("(weight, bias)", "(bias,)")),
        "the gradients are left alone": (
            "steps of one's own",
            swap("    w.grad.zero_()\n    b.grad.zero_()\n", ""),
        ),
        "swallowed": ("a hook", swallow("(heat * 2).sum().backward()")),
        "the hook left out": (
            "a hook",
            delete('heat.register_hook(lambda g: print("came back", g))'),
        ),
        "the loss asked itself": (
            "an equation",
            swap("residual(u, x, t).pow(2)", "torch.ones(1, requires_grad=True)"),
        ),
        "not kept": ("a gradient on the way", delete("twice.retain_grad()")),
    },
)
