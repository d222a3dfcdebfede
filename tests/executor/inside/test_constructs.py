"""executor/inside/constructs.py: the calls and changes in a snippet's text, without a run."""

from __future__ import annotations

import ast
import time

import pytest

from executor.inside.constructs import constructs
from executor.protocol import Construct


def listed(code: str) -> tuple[Construct, ...]:
    """The constructs of a code."""
    return constructs(ast.parse(code), code)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "self.fc = nn.Linear(16 * 5 * 5, 120)",
            {"kind": "call", "name": "nn.Linear", "target": "self.fc", "arguments": ("400", "120")},
        ),
        ("x.view(-1, n)", {"kind": "call", "name": "x.view", "arguments": ("-1", "n")}),
        ("f(k=2 + 3)", {"kind": "call", "name": "f", "keywords": {"k": "5"}}),
        ("torch.ones(3).to(d)", {"kind": "call", "name": "torch.ones", "then": "to"}),
        (
            "total += loss.item()",
            {"kind": "update", "name": "total", "arguments": ("loss.item()",)},
        ),
        ("x[0] = 1", {"kind": "item", "name": "x", "arguments": ("1",)}),
        ("p.requires_grad = False", {"kind": "attribute", "name": "p.requires_grad"}),
        ("print(loss.data)", {"kind": "read", "name": "loss.data"}),
        ("ä = f('ü', n)", {"kind": "call", "name": "f", "arguments": ("'ü'", "n"), "target": "ä"}),
    ],
)
def test_a_construct_is_listed_as_it_is_written(code: str, expected: dict[str, object]):
    """With what it is assigned to, and numbers computed."""
    found = [c.model_dump() for c in listed(code)]

    assert any(expected.items() <= c.items() for c in found), found


@pytest.mark.parametrize("code", ["x = 1", "def f(): pass", "import torch", "n = 2 ** 9999999"])
def test_what_is_no_call_and_no_change_is_not_listed(code: str):
    """Nor is a number computed that is written as a power."""
    assert listed(code) == ()


def test_the_line_is_that_of_what_is_called():
    """A chain over several lines is at the line that names the method."""
    [view, inner] = listed("y = (f(x)\n     .view(2))")

    assert (inner.line, view.line) == (2, 1) or (view.name, inner.name) == ("f", "f(x) .view")


def test_a_long_snippet_costs_no_more_than_its_length():
    """A chain of calls is cut where it is long, and the list ends somewhere."""

    def seconds(n: int) -> float:
        code = "x" + ".f()" * 300 + "\n" + "g(1)\n" * n
        times = []
        for _ in range(3):  # the best: others may have had the processor
            began = time.process_time()
            assert len(listed(code)) == 400
            times.append(time.process_time() - began)
        return min(times)

    assert seconds(8_000) < 30 * seconds(1_000)
