"""knowledge/repair/toolkit/statements.py: lines that only call a method."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.statements import call_alone


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("loss.backward()", True),
        ("(a + b).sum().backward(retain_graph=True)", True),
        ("loss.backward(); step()", False),
        ("x = loss.backward()", False),
        ("loss.backward", False),
        ("backward()", False),
        ("loss.step()", False),
    ],
)
def test_a_line_is_the_call_of_a_method(line: str, is_one: bool) -> None:
    program = Program(f"{line}\n")
    (statement,) = program.all(cst.SimpleStatementLine)

    assert (call_alone(statement, "backward") is not None) is is_one
    assert call_alone(None, "backward") is None
