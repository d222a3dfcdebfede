"""A backward of its own that is not the derivative of its forward."""

from __future__ import annotations

import gc

import pytest
import torch

from executor.inside.probes.again import KeptCall
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training import derivatives
from executor.protocol import Finding
from tests.executor.conftest import House
from tests.executor.inside.test_silent import run

ONE = """
class {name}(torch.autograd.Function):
    {doc}
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return {forward}

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return {backward}
"""
TWO = """
class Two(torch.autograd.Function):
    @staticmethod
    def forward(x, w, power):
        return (x @ w.t()) ** power

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, w, ctx.power = inputs
        ctx.save_for_backward(x, w)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        g = g * ctx.power * (x @ w.t()) ** (ctx.power - 1)
        return g @ w, {by_weight}, None

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(4, 3))
    def forward(self, x):
        return Two.apply(x, self.w, 2)
net = Net()
"""


def one(forward: str, backward: str, name: str = "Cube", doc: str = "pass") -> str:
    """A function of one argument."""
    return ONE.format(forward=forward, backward=backward, name=name, doc=doc)


def looked(code: str) -> list[Finding]:
    """What is found of it, with the calls of its module `net` if it has one."""
    gc.collect()  # the functions of other tests are subclasses too, as long as they live
    torch.manual_seed(0)
    names: dict[str, object] = {"torch": torch, "nn": torch.nn}
    file = f"snippet{abs(hash(code))}.py"
    exec(compile(code, file, "exec"), names)
    net = names.get("net")
    calls = (
        [KeptCall(net, (torch.randn(5, 3),), {}, 1, recorded=True)]
        if isinstance(net, torch.nn.Module)
        else []
    )
    return derivatives.look(calls, SnippetSource(code, file))


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("x ** 3", "g * 3 * x"),
        ("x ** 3", "-g * 3 * x ** 2"),
        ("x ** 3", "g * x ** 2"),
        ("x.sin()", "g * x.sin()"),
        ("x.sigmoid()", "g * x * (1 - x)"),
        ("x.exp().sum(1)", "g[:, None].expand(3, 4) * x"),
    ],
)
def test_derivatives_1_a_wrong_backward_is_told_with_both_numbers(
    forward: str, backward: str
) -> None:
    """At its line, by the name of its argument."""
    (found,) = looked(one(forward, backward))
    assert (found.kind, found.name, found.line) == ("derivative_wrong", "Cube", 10)
    assert "derivative of its `forward` by `x`" in found.message


RIGHT = {
    "the derivative": ("x ** 3", "g * 3 * x ** 2"),
    "of a kink": ("x.clamp(min=1)", "g * (x > 1)"),
    "reversal": ("x.view_as(x)", "-g"),
    "clipped": ("x.clone()", "g.clip(-1, 1)"),
    "of steps": ("x.round()", "g"),
    "of spikes": ("(x > 1).to(x)", "g / (1 + x.abs()) ** 2"),
    "none": ("x ** 3", "None"),
    "deaf": ("x ** 3", "torch.ones_like(x)"),
    "drawn": ("x * torch.rand_like(x)", "g"),
    "an integer": ("x.argmax(1)", "None"),
    "it fails": ("x ** 3", "g * nothing"),
    "it ends all": ("x ** 3 if x.dtype == torch.float32 else exit()", "g"),
    "single precision": ("(x.float() ** 3)", "g"),
}


@pytest.mark.parametrize(("forward", "backward"), RIGHT.values(), ids=RIGHT.keys())
def test_derivatives_2_what_is_right_or_meant_or_cannot_be_seen_is_not_blamed(
    forward: str, backward: str
) -> None:
    """Silent, too, where the code fails on other values."""
    assert looked(one(forward, backward)) == []


@pytest.mark.parametrize(
    ("name", "doc"),
    [("GuidedBackprop", "pass"), ("SurrogateTanh", "pass"), ("MySTE", "pass"),
     ("Cube", "'''Straight-through: the gradient of x is taken.'''"), ("GradReverse", "pass")],
)  # fmt: skip
def test_derivatives_3_a_name_may_say_that_another_gradient_is_meant(name: str, doc: str) -> None:
    """In the class or in its docstring."""
    assert looked(one("x ** 3", "g * x", name, doc)) == []


@pytest.mark.parametrize(
    ("by_weight", "named"),
    [("g.t() @ x", []), ("(x.t() @ x)[:1]", []), ("g.t() @ x / 5", ["w"])],
)
def test_derivatives_4_a_function_of_several_gets_what_its_module_gives_it(
    by_weight: str, named: list[str]
) -> None:
    """Only the argument that is wrong is named; one that is deaf is told elsewhere."""
    found = looked(TWO.format(by_weight=by_weight))
    assert [f.message.split("`")[7] for f in found] == named


def test_derivatives_5_a_run_shows_it_trained_or_not(house: House) -> None:
    """The function need not be in a model."""
    asked = "x = torch.rand(5, requires_grad=True)\nCube.apply(x).sum().backward()\n"
    wrong = run(house, one("x ** 3", "g * 3 * x") + asked)
    assert [f.kind for f in wrong.findings] == ["derivative_wrong"]
    assert run(house, one("x ** 3", "g * 3 * x ** 2") + asked).findings == ()


ALIGNED = """
class Aligned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, back):
        ctx.save_for_backward(x, {kept})
        return x @ w.t(){bias}

    @staticmethod
    def backward(ctx, g):
        x, kept = ctx.saved_tensors
        return g @ kept * {by}, g.t() @ x, None

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(4, 3))
        self.register_buffer("back", torch.randn(4, 3))
    def forward(self, x):
        return Aligned.apply(x, self.w, self.back)
net = Net()
"""


@pytest.mark.parametrize(
    ("kept", "bias", "by", "named"),
    [("back", "", "1", []), ("w", "", "2", ["x"]), ("back", " + back.sum()", "1", ["x"])],
    ids=["a matrix of its own", "twice as much", "one that forward uses"],
)
def test_derivatives_6_what_only_backward_computes_with_is_a_gradient_that_is_meant(
    kept: str, bias: str, by: str, named: list[str]
) -> None:
    """As the random matrices of feedback alignment are."""
    found = looked(ALIGNED.format(kept=kept, bias=bias, by=by))
    assert [f.message.split("`")[7] for f in found] == named
