"""executor/inside/rebuild/repair.py: lines that are no Python are left out, where all else is."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.inside.rebuild.repair import without_what_is_no_python
from executor.inside.rebuild.source import sources
from executor.protocol import PostedError, PostedFrame, RebuildOrder, Rebuilt

GOOD = "net = Net()\nx = f(1)\ny = g(x)\n"


@pytest.mark.parametrize(
    ("code", "left_out"),
    [
        (GOOD, ()),
        (f"{GOOD}out = net(x,\n", (4,)),  # cut off, to the end
        (f"{GOOD}print('loss\n", (4,)),
        (f"{GOOD}def again(x):\n", (4,)),  # a head without its body
        (f"{GOOD}print net(x)\nz = 3\n", (4,)),
        (f"{GOOD}train(net, <your settings>)\nz = 3\n", (4,)),
        (f"{GOOD}if x:\n    z = 1\n    a b c\nelse:\n    z = 2\n", (6,)),
        ("print net(x)\n", None),  # nothing is left of it
        (f"{GOOD}a b\nc d\ne f\n", None),  # too much would be left out
    ],
)
def test_a_few_lines_are_left_out(code: str, left_out: tuple[int, ...] | None):
    """And the rest parses, with every line where it was."""
    assert without_what_is_no_python(code) == left_out
    if left_out is not None:
        made = Rebuilt(left_out=left_out).of(code)
        ast.parse(made)
        assert made.count("\n") == code.count("\n")


@given(st.text())
def test_any_text_may_be_posted(code: str):
    """Whatever is left of it is Python."""
    left_out = without_what_is_no_python(code)
    if left_out is not None:
        ast.parse(Rebuilt(left_out=left_out).of(code))


@pytest.mark.parametrize(("line", "numbers"), [("y = g(x)", [0]), ("print net(x)", [])])
def test_the_line_that_failed_is_never_left_out(line: str, numbers: list[int]):
    """Then the program shows nothing of the posted error."""
    error = PostedError(type="E", message="m", frames=(PostedFrame(file="a.py", code=line),))
    order = RebuildOrder(code=f"{GOOD}print net(x)\n", error=error)
    assert [source.number for source in sources(order)] == numbers
