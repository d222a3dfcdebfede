"""knowledge/repair/toolkit/flow.py: the loops around a node, and what they go through."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.flow import (
    earlier_in_loop,
    held_as,
    in_loop,
    loop_over,
    loops_around,
    outermost_loop,
    walked,
)
from knowledge.repair.toolkit.sites import calls

LOOPS = """\
loader = load(data)
for epoch in range(3):
    start(epoch)
    for i, x in enumerate(loader):
        def hook(x):
            return inside(x)
        for row in x:
            use(row, i)
end()
"""


def call(program: Program, name: str) -> cst.Call:
    return next(calls(program, f"^{name}$"))


@pytest.mark.parametrize(
    ("name", "lines"), [("use", [7, 4, 2]), ("start", [2]), ("inside", []), ("end", [])]
)
def test_the_loops_of_its_own_function_are_around_a_node(name: str, lines: list[int]) -> None:
    program = Program(LOOPS)
    node = call(program, name)
    outermost = outermost_loop(program, node)

    assert [program.line(loop) for loop in loops_around(program, node)] == lines
    assert in_loop(program, node) == bool(lines)
    assert (program.line(outermost) if outermost is not None else None) == (lines or [None])[-1]


@pytest.mark.parametrize(
    ("name", "line"), [("row", 7), ("epoch", 2), ("i", None), ("loader", None)]
)
def test_a_loop_is_found_by_its_one_variable(name: str, line: int | None) -> None:
    program = Program(LOOPS)
    loop = loop_over(program, call(program, "use"), name)

    assert (program.line(loop) if loop is not None else None) == line


@pytest.mark.parametrize(
    ("line", "names"),
    [(8, {"range", "enumerate", "loader", "x"}), (4, {"range", "enumerate", "loader"}),
     (3, {"range"}), (9, set())],
)  # fmt: skip
def test_what_the_loops_on_a_line_go_through(line: int, names: set[str]) -> None:
    assert set(walked(Program(LOOPS), line)) == names


@pytest.mark.parametrize(
    ("code", "name"),
    [("x = load()\n", "x"), ("self.x = load()\n", "self.x"), ("x = y = load()\n", ""),
     ("x = wrap(load())\n", ""), ("load()\n", "")],
)  # fmt: skip
def test_the_variable_that_holds_what_a_call_made(code: str, name: str) -> None:
    program = Program(code)

    assert held_as(program, call(program, "load")) == name


def test_a_line_of_the_loop_comes_before() -> None:
    program = Program(LOOPS)
    use = program.up(call(program, "use"), cst.SimpleStatementLine)
    start = program.up(call(program, "start"), cst.SimpleStatementLine)
    assert use is not None and start is not None

    assert earlier_in_loop(program, use, r"^start\(")
    assert not earlier_in_loop(program, start, r"^(use|load)\(")
