"""A factor, a flag and a hook, a tuple already; and a tensor that wants its gradient."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FACTOR = """\
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor   # the chain
x = torch.ones(2, requires_grad=True)
Scale.apply(x, 3).sum().backward()
print(x.grad)
"""

HOOK = """\
import torch
from torch.autograd import Function
class Product(Function):
    @staticmethod
    def forward(ctx, a, b, watch, loud):
        ctx.save_for_backward(a, b)
        out = a @ b
        if loud:
            watch(out)
        return out
    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad @ b.T, a.T @ grad
def product(a, b, watch, loud):
    return Product.apply(a, b, watch, loud)
a, b = torch.eye(2, requires_grad=True), torch.ones(2, 3, requires_grad=True)
product(a, b, lambda t: None, True).sum().backward()
print(a.grad.shape, b.grad.shape)
"""

ATTRIBUTE = """\
import torch
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, digits):
        return torch.round(x * 10**digits) / 10**digits
    @staticmethod
    def backward(ctx, grad):
        return grad
class Layer(torch.nn.Linear):
    def __init__(self, digits=2):
        super().__init__(2, 2)
        self.digits = digits
    def forward(self, x):
        return Round.apply(super().forward(x), self.digits)
Layer()(torch.ones(3, 2)).sum().backward()
"""

MODE = """\
import torch
mode = "round"
class Snap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mode, step):
        return torch.round(x / step) * step
    @staticmethod
    def backward(ctx, grad):
        return grad, None
x = torch.tensor([0.3, 0.8], requires_grad=True)
y = Snap.apply(x, mode, 0.5)
y.sum().backward()
print(x.grad)
"""

LEARNS = """\
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(factor)
        return x * factor
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]
x, factor = torch.ones(2, requires_grad=True), torch.tensor(3.0, requires_grad=True)
Scale.apply(x, factor).sum().backward()
"""

TOO_MANY = """\
import torch
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, grad):
        return grad, grad
Same.apply(torch.ones(2, requires_grad=True)).sum().backward()
"""

NOTHING = """\
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        grad_x = g * w
        w_grad = g * x   # of the weights
x, w = torch.ones(3, requires_grad=True), torch.full((3,), 2.0, requires_grad=True)
Scale.apply(x, w).sum().backward()
print(x.grad, w.grad)
"""

IN_A_LOOP = """\
import torch

class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, by):
        return rows + by

    @staticmethod
    def backward(ctx, grad_output):
        d_rows = d_by = grad_output

start = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([start], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    (Shift.apply(start, start * 2) - 1).pow(2).sum().backward()
    optimizer.step()
print(start)
"""

UNNAMED = NOTHING.replace("w_grad = ", "other = ")
BOTH_NAMES = NOTHING.replace("w_grad = g * x", "w_grad = grad_w = g * x")

CASES = Cases(
    mended={
        "nothing returned": (NOTHING, "# of the weights\n        return grad_x, w_grad\n"),
        "nothing returned in a loop": (IN_A_LOOP, "        return d_rows, d_by\n"),
        "a factor": (FACTOR, "return grad * ctx.factor, None   # the chain"),
        "a hook": (HOOK, "return grad @ b.T, a.T @ grad, None, None"),
        "a mode": (MODE, "return grad, None, None"),
        "an attribute": (ATTRIBUTE, "        return grad, None\n"),
    },
    refused={
        "a tensor that learns": LEARNS,
        "too many": TOO_MANY,
        "nothing returned, by no name": UNNAMED,
        "nothing returned, by two names": BOTH_NAMES,
    },
    wrong={
        "no gradient at all": ("a factor", swap("return grad * ctx.factor ", "return None, None ")),
        "past it": (
            "a factor",
            swap("Scale.apply(x, 3).sum().backward()", "Scale.apply(x.detach(), 3).sum()"),
        ),
        "leave it out": ("a mode", delete("y.sum().backward()")),
        "swallow": ("a mode", swallow("y.sum().backward()")),
    },
)
