"""knowledge/repair/toolkit/cuts.py: the first place that cuts a loss off from the weights."""

from __future__ import annotations

import libcst as cst
import pytest

from executor.protocol import ErrorSeen, Frame, JobResult, Outcome, Variable
from knowledge.repair.toolkit.cuts import first_cut
from knowledge.repair.toolkit.failed import Failed

CUT = Variable(type="Tensor", dtype="float32", requires_grad=False)
LIST = Variable(type="list")
GRAPH = Variable(type="Tensor", dtype="float32", requires_grad=True)


def joined(code: str) -> list[str] | None:
    """What the program is without the cut that `loss.backward()` is told of."""
    (line,) = [n for n, text in enumerate(code.splitlines(), 1) if "loss.backward()" in text]
    seen = {"loss": CUT, "out": CUT, "kept": CUT, "a": GRAPH, "b": GRAPH, "parts": LIST}
    seen |= {f"k{i}": CUT for i in range(14)}
    run = JobResult(
        outcome=Outcome.ERROR,
        error=ErrorSeen(type="RuntimeError", message="no", line=line, code="loss.backward()"),
        frames=(Frame(line=line, function="<module>", locals=seen),),
    )
    program = Failed(code, run)
    node = cst.ensure_type(program.node, cst.Call)
    found = first_cut(program, cst.ensure_type(node.func, cst.Attribute).value, node)
    return None if found is None else [rewrite.module.code for rewrite in found]


END = "\nloss.backward()\n"


@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("loss = out.detach().sum()", "loss = out.sum()"),
        ("loss = out.data.sum()", "loss = out.sum()"),
        ("kept = net(x).detach()\nloss = kept.sum()", "kept = net(x)\nloss = kept.sum()"),
        ("loss = torch.tensor(a)", "loss = a"),
        ("loss = torch.tensor([a, b]).sum()", "loss = torch.stack([a, b]).sum()"),
        ("loss = torch.tensor(a * 2)", "loss = a * 2"),
        ("with torch.no_grad():\n    loss = net(x)", "loss = net(x)"),
        # Of what is beside the cut nothing is cut off.
        ("loss = (unknown - out.detach()).sum()", "loss = (unknown - out).sum()"),
        (
            "kept = net(x)\nloss = (kept - out.detach()).sum()",
            "kept = net(x)\nloss = (kept - out).sum()",
        ),
        (
            "with torch.no_grad():\n    out = net(x)\nloss = out.detach().sum()",
            "with torch.no_grad():\n    out = net(x)\nloss = out.sum()",
        ),
        # A function that cuts is not on the way.
        (
            "def g(x):\n    return x.argmax()\nout = net(x).detach()\nloss = f(out)",
            "def g(x):\n    return x.argmax()\nout = net(x)\nloss = f(out)",
        ),
    ],
)
def test_the_first_cut_on_the_way_up_is_undone(code: str, without: str) -> None:
    assert joined(code + END) == [without + END]


@pytest.mark.parametrize(
    "code",
    [
        "loss = out.sum()",
        "kept = a.detach()\nloss = out.sum()",  # of another value
        "loss = torch.tensor([1.0, 2.0])",
        "def f(x):\n    return x.detach()\nloss = f(a)",  # in a function: not here
        "loss = out.sum() * a.size(0)",
        "with torch.cuda.amp.autocast():\n    loss = net(x)",
        "with torch.no_grad(), open(f):\n    loss = net(x)",
        "def f(x):\n    return x.argmax()\nout = net(x).detach()\nloss = f(out)",
        "loss = torch.tensor(out)",
        "loss = torch.tensor([a])",
        "loss = torch.tensor()",
        "loss = f(out.item)",
        "parts = [net(x).detach()]\nloss = sum(parts)",
        "a = net(x).detach()\nloss = a.sum()",  # it asks for a gradient of its own
        "k0 = x.detach()\n" + "".join(f"k{i + 1} = k{i}\n" for i in range(13)) + "loss = k13",
    ],
)
def test_a_way_without_a_cut_has_none(code: str) -> None:
    assert joined(code + END) is None


@pytest.mark.parametrize(
    "code",
    [
        "with torch.no_grad():\n    net.eval()\n    loss = net(x)",
        "with torch.no_grad():\n    w -= w.grad\n    loss = net(x)",
        "with torch.no_grad(): loss = net(x)",
    ],
)
def test_a_block_that_is_partly_an_evaluation_or_an_update_is_left(code: str) -> None:
    assert joined(code + END) == []


def test_of_a_target_and_a_value_the_target_is_meant_to_be_cut_off() -> None:
    code = "with torch.no_grad():\n    out = net(x)\nloss = out - old(x).detach()"

    assert joined(code + END) == ["out = net(x)\nloss = out - old(x).detach()" + END]


def test_a_block_around_a_function_is_not_one_around_its_calls() -> None:
    assert joined("with torch.no_grad():\n    def f():\n        loss.backward()\n") is None
