"""own-backward: a gradient has the form of its input."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LINEAR = """\
import torch


class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w.t()

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        grad_w = x.t() @ grad   # of the weights
        return grad @ w, grad_w


x, w = torch.rand(6, 4), torch.rand(3, 4, requires_grad=True)
loss = Times.apply(x, w).square().mean()
loss.backward()
print(w.grad.shape)
"""

DIRECT = LINEAR.replace("        grad_w = x.t() @ grad   # of the weights\n", "").replace(
    "return grad @ w, grad_w", "return grad @ w, x.T @ grad"
)

SUMMED = """\
import torch


class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, x):
        ctx.save_for_backward(x)
        return w @ x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return torch.outer(x, grad), None


w = torch.rand(2, 5, requires_grad=True)
Outer.apply(w, torch.rand(5)).sum().backward()
print(w.grad.shape)
"""

ANOTHER_SIZE = SUMMED.replace("torch.outer(x, grad)", "torch.outer(grad, grad)")

TWO_RETURNS = LINEAR.replace(
    "        return grad @ w, grad_w",
    "        if not ctx.needs_input_grad[0]:\n            return None, grad_w\n"
    "        return grad @ w, grad_w",
)

CASES = Cases(
    mended={},
    paired={
        "a product": (LINEAR, ("grad_w = grad.t() @ x   # of the weights",)),
        "where it is returned": (DIRECT, ("return grad @ w, grad.t() @ x",)),
        "no product": (SUMMED, ("torch.outer(x, grad).t(), None",)),
    },
    refused={"another size": ANOTHER_SIZE, "two returns": TWO_RETURNS},
    wrong={
        "none": ("a product", swap("return grad @ w, grad_w", "return grad @ w, None")),
        "zeros": ("a product", swap("x.t() @ grad ", "torch.zeros_like(w) ")),
        "swallowed": ("a product", swallow("loss.backward()")),
        "left out": ("a product", delete("loss.backward()")),
    },
)
