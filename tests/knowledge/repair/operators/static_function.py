"""static-function: functions of autograd that are made and then called."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

REVERSED = """\
import torch
from torch.autograd import Function


class Reverse(Function):
    def __init__(self, weight=1.0):
        super().__init__()
        self.weight = weight

    def forward(self, x):
        return x.view_as(x)

    def backward(self, grad):
        return -self.weight * grad   # turned


x = torch.ones(3, requires_grad=True)
Reverse(0.5)(x).sum().backward()
print(x.grad)
"""

SAVED = """\
import torch


class Product(torch.autograd.Function):
    def forward(self, a, b):
        self.save_for_backward(a, b)
        return a * b

    def backward(self, grad):
        a, b = self.saved_tensors
        return grad * b, grad * a


product = Product()
a = torch.ones(2, requires_grad=True)
product(a, torch.full((2,), 3.0)).sum().backward()
print(a.grad)
"""

KEPT = """\
import torch
from torch import nn
from torch.autograd import Function


class Clip(Function):
    def __init__(self, low, high):
        self.low, self.high = low, high

    def forward(self, x):
        "Straight through."
        return x.clamp(self.low, self.high)

    def backward(self, grad):
        return grad


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.clip = Clip(-1.0, high=1.0)

    def forward(self, x):
        return self.clip(self.fc(x))


net = Net()
net(torch.ones(4, 3)).sum().backward()
print(net.fc.bias.grad)
"""

WITH_A_HELPER = """\
import torch
from torch.autograd import Function


class Twice(Function):
    def forward(self, x):
        return self.doubled(x)

    def backward(self, grad):
        return self.doubled(grad)

    def doubled(self, x):
        return x * 2


x = torch.ones(3, requires_grad=True)
Twice()(x).sum().backward()
"""

COMPUTED = """\
import torch
from torch.autograd import Function


class Scaled(Function):
    def __init__(self, sizes):
        self.by = 0
        for size in sizes:
            self.by += size

    def forward(self, x):
        return x * self.by

    def backward(self, grad):
        return grad * self.by


x = torch.ones(3, requires_grad=True)
Scaled([1, 2])(x).sum().backward()
"""

ANY_NUMBER = """\
import torch
from torch.autograd import Function


class Sum(Function):
    def __init__(self, by):
        self.by = by

    def forward(self, *parts):
        return sum(parts) * self.by

    def backward(self, grad):
        return grad * self.by, grad * self.by


x = torch.ones(3, requires_grad=True)
Sum(2.0)(x, x).sum().backward()
"""

CASES = Cases(
    mended={},
    paired={
        "an option": (
            REVERSED,
            (
                "def forward(ctx, x, weight):\n        ctx.weight = weight\n"
                "        return x.view_as(x)\n\n    @staticmethod\n    def backward(ctx, grad):\n"
                "        return -ctx.weight * grad, None   # turned\n\n\n"
                "x = torch.ones(3, requires_grad=True)\nReverse.apply(x, 0.5).sum()",
            ),
        ),
        "none": (SAVED, ("product = Product.apply\n",)),
        "kept in a layer": (
            KEPT,
            ("self.clip = lambda *x: Clip.apply(*x, -1.0, 1.0)\n",),
        ),
    },
    refused={"a helper": WITH_A_HELPER, "computed": COMPUTED, "any number": ANY_NUMBER},
    wrong={
        "swallowed": ("an option", swallow("Reverse(0.5)(x).sum().backward()")),
        "no function": ("an option", swap("Reverse(0.5)(x)", "x")),
        "cut": ("none", swap("product(a,", "torch.mul(a.detach(),")),
        "forward alone": ("none", swap("product(a,", "product.forward(a,")),
        "left out": ("kept in a layer", swap("self.clip(self.fc(x))", "self.fc(x)")),
        "deleted": ("kept in a layer", delete("net(torch.ones(4, 3)).sum().backward()")),
    },
)
