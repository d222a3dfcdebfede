"""A factor, an index among tensors, two settings; and what the call does not tell."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FACTOR = """\
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)   # for later
        return x * factor
    @staticmethod
    def backward(ctx, grad):
        x, factor = ctx.saved_tensors
        return grad * factor, None
x = torch.ones(3, requires_grad=True)
Scale.apply(x, 2.5).sum().backward()
print(x.grad)
"""

PICK = """\
import torch
from torch.autograd import Function
class Pick(Function):
    @staticmethod
    def forward(ctx, row, place):
        ctx.save_for_backward(row, place)
        return row[place].clone()
    @staticmethod
    def backward(ctx, grad):
        row, place = ctx.saved_tensors
        out = torch.zeros_like(row)
        out[place] = grad
        return out, None
pick = Pick.apply
row, place = torch.arange(3.0, requires_grad=True), 1
chosen = pick(row, place)
chosen.backward()
print(row.grad)   # only one
"""

STEEP = """\
import torch
class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, at, steep):
        ctx.save_for_backward(x, at, steep)
        return (x > at).float()
    @staticmethod
    def backward(ctx, grad):
        x, at, steep = ctx.saved_tensors
        soft = torch.sigmoid(steep * (x - at))
        return grad * steep * soft * (1 - soft), None, None
x = torch.tensor([0.4, 0.6], requires_grad=True)
at, steep = 0.5, 10
y = Gate.apply(x, at, steep)
y.sum().backward()
print(x.grad)
"""

COMPUTED = """\
import torch
class Mean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, x.numel())
        return x.mean()
    @staticmethod
    def backward(ctx, grad):
        x, n = ctx.saved_tensors
        return grad.expand_as(x) / n
Mean.apply(torch.ones(2, requires_grad=True)).backward()
"""

STARRED = """\
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x, k)
        return x * k
    @staticmethod
    def backward(ctx, grad):
        saved = ctx.saved_tensors
        return grad * saved[1], None
Scale.apply(torch.ones(2, requires_grad=True), 3).sum().backward()
"""

SHIFT = """\
import torch


class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, steps, part):
        # x: clip, time, channel
        ctx.save_for_backward(steps, part)
        out = x.clone()
        out[:, steps:, :part] = x[:, :-steps, :part]
        return out

    @staticmethod
    def backward(ctx, grad):
        steps, part = ctx.saved_tensors
        back = grad.clone()
        back[:, :-steps, :part] = grad[:, steps:, :part]
        return back, None, None


class Block(torch.nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c

    def forward(self, x):
        return Shift.apply(x, 1, self.c // 4)


x = torch.randn(2, 8, 16, requires_grad=True)
Block(16)(x).square().sum().backward()
print(x.grad.shape)
"""

CASES = Cases(
    mended={
        "numbers alone": (SHIFT, "channel\n        ctx.steps = steps\n        ctx.part = part"),
        "a factor": (FACTOR, "ctx.save_for_backward(x)   # for later\n        ctx.factor = factor"),
        "a place": (PICK, "row, = ctx.saved_tensors\n        place = ctx.place"),
        "two settings": (STEEP, "ctx.at = at\n        ctx.steep = steep"),
    },
    refused={"computed in forward": COMPUTED, "not unpacked": STARRED},
    wrong={
        "nothing saved": ("a factor", swap("ctx.save_for_backward(x, factor)",
                                           "ctx.x, ctx.factor = x, factor")),
        "no gradient": ("a factor", lambda code: swap("grad * factor, None", "None, None")(
            swap("x, factor = ctx.saved_tensors", "x, = ctx.saved_tensors")(
                swap("(x, factor)   #", "(x)   #")(code)))),
        "swallow": ("a place", swallow("chosen = pick(row, place)")),
        "leave it out": ("two settings", delete("y.sum().backward()")),
        "not through it": ("a factor", swap("Scale.apply(x, 2.5)", "(x * 2.5).detach()")),
    },
)  # fmt: skip
