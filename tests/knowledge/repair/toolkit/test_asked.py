"""knowledge/repair/toolkit/asked.py: which tensors must ask for a gradient, and where."""

from __future__ import annotations

import libcst as cst
import pytest

from executor.protocol import ErrorSeen, Frame, JobResult, Outcome, Variable
from knowledge.repair.toolkit.asked import asked
from knowledge.repair.toolkit.failed import Failed


def leaf(**facts: object) -> Variable:
    """A tensor of floats that asks for no gradient, unless it is told."""
    told = {"dtype": "float32", "requires_grad": False, "is_leaf": True} | facts
    return Variable.model_validate({"type": "Tensor", **told})


def changed(code: str, call: str, **seen: Variable) -> list[str]:
    """The lines that it changes where this call failed."""
    (line,) = [n for n, text in enumerate(code.splitlines(), 1) if call in text]
    run = JobResult(
        outcome=Outcome.ERROR,
        error=ErrorSeen(type="RuntimeError", message="no", line=line, code=call),
        frames=(Frame(line=line, function="<module>", locals=seen),),
    )
    program = Failed(code, run)
    place = cst.ensure_type(program.node, cst.Call)
    new = [rewrite.module.code.splitlines() for rewrite in asked(program, place)]
    return [s for lines in new for s, was in zip(lines, code.splitlines(), strict=True) if s != was]


READ = "w = torch.zeros(3)\nloss = (w * 2).sum()\nloss.backward()\nprint(w.grad)\n"
TRAINED = "w = torch.zeros(3)\nopt = torch.optim.SGD([w])\nf(w).backward()\n"
OF_INPUT = "x = torch.ones(3)\ny = f(x)\ng = torch.autograd.grad(y, x)\n"


@pytest.mark.parametrize(
    ("code", "call", "line"),
    [
        (READ, "loss.backward()", "w = torch.zeros(3, requires_grad=True)"),
        (TRAINED, "f(w).backward()", "w = torch.zeros(3, requires_grad=True)"),
        (OF_INPUT, "torch.autograd.grad(y, x)", "x = torch.ones(3, requires_grad=True)"),
    ],
)
def test_what_a_gradient_is_wanted_of_asks_where_it_is_made(
    code: str, call: str, line: str
) -> None:
    assert changed(code, call, w=leaf(), x=leaf()) == [line]


@pytest.mark.parametrize(
    "more", ["print(w.data)", "print(net.w.grad)", "torch.optim.SGD(net.parameters())", "SGD()"]
)
def test_nothing_else_is_differentiated(more: str) -> None:
    other = READ.replace("print(w.grad)\n", f"{more}\n")

    assert changed(other, "loss.backward()", w=leaf()) == []


def test_what_nobody_saw_is_passed_over() -> None:
    code = READ.replace("loss =", "v = load()\nloss =") + "print(v.grad)\n"

    assert changed(code, "loss.backward()", w=leaf()) == ["w = torch.zeros(3, requires_grad=True)"]


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        (READ, leaf(dtype=None)),
        (READ, leaf(requires_grad=True)),
        (READ, leaf(is_leaf=False)),
        (READ, leaf(dtype="int64")),
        (READ.replace("w = torch", "v = torch"), leaf()),
        (READ.replace("print(w.grad)", "print(loss)"), leaf()),
        ("for _ in range(2):\n    w = torch.zeros(3)\n    loss = w.sum()\n    loss.backward()\n"
         "    print(w.grad)\n", leaf()),
    ],
)  # fmt: skip
def test_nothing_asks_where_that_is_not_the_reason(code: str, facts: Variable) -> None:
    assert changed(code, "loss.backward()", w=facts) == []


def test_a_derivative_is_recorded_to_be_differentiated_again() -> None:
    code = (
        "x = torch.ones(3)\n"
        "first = torch.autograd.grad(y, x)[0]\n"
        "second = torch.autograd.grad(first, x)[0]\n"
    )

    assert changed(code, "torch.autograd.grad(first, x)", x=leaf()) == [
        "first = torch.autograd.grad(y, x, create_graph=True)[0]"
    ]
