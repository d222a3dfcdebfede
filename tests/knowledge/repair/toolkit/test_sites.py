"""knowledge/repair/toolkit/sites.py: what an assignment gives a name."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import assigned_above, method_of, value_given


@pytest.mark.parametrize(
    ("statement", "name", "value"),
    [
        ("x = f(1)", "x", "f(1)"),
        ("x, y = f(1), g(2)", "y", "g(2)"),
        ("x, (y, z) = f(1), g(2)", "y", None),  # a part of a part
        ("x, y = f(1)", "x", None),  # a part of what a call gives
        ("x, y = a, b, c", "x", None),
    ],
)
def test_of_several_names_each_has_its_own_part(
    statement: str, name: str, value: str | None
) -> None:
    program = Program(f"{statement}\n")
    (made,) = program.all(cst.Assign)
    given = value_given(made, name)

    assert (program.text(given) if given is not None else None) == value


def test_what_is_not_assigned_has_no_value() -> None:
    assert value_given(None, "x") is None


def test_the_last_assignment_above_a_line_counts_in_whatever_scope() -> None:
    program = Program("x = 1\ndef f():\n    x = 2\n    g(x)\nx, y = 3, 4\n")
    made = assigned_above(program, "x", 4)

    assert made is not None and program.text(made) == "x = 2"
    assert assigned_above(program, "x", 1) is None
    assert assigned_above(program, "y", 9) is None  # one of several names


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\n", 4),
        ("class B:\n    def g(self): pass\n", None),
        ("class B:\n    class C:\n        def f(self): pass\n", None),  # another class's
        ("class B:\n    def f(self): pass\n    def f(self): pass\n", None),  # two of them
    ],
)
def test_a_method_of_a_class_is_the_one_of_its_name(code: str, line: int | None) -> None:
    program = Program(code)
    found = method_of(program, "B", "f")

    assert (program.line(found) if found is not None else None) == line
