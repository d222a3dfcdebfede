"""knowledge/repair/toolkit/rows.py: what a list of rows can do of what a tensor was used for."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.rows import by_row, is_index, is_shown


def use(code: str) -> tuple[Program, cst.Name]:
    """The one place where the code uses `t`."""
    program = Program(code + "\n")
    (name,) = [n for n in program.all(cst.Name) if n.value == "t"]
    return program, name


@pytest.mark.parametrize(
    ("code", "becomes"),
    [
        ("for row in t: f(row)", "for row in t: f(row)"),
        ("[f(row) for row in t]", "[f(row) for row in t]"),
        ("for t in x: f()", None),
        ("f'{t}'", "f'{t}'"),
        ("enumerate(t)", "enumerate(t)"),
        ("t.size(0)", "len(t)"),
        ("t.shape[0]", "len(t)"),
        ("t[i]", "t[i]"),
        ("t[0, :]", "t[0]"),
        ("t[0, :2]", None),  # a part of each row
        ("t[:, 0]", None),
        ("t[1:]", None),
        ("t.shape[1]", None),
        ("t.sum()", None),
        ("net(t)", None),
        ("t + 1", None),
        ("x[t]", None),
    ],
)
def test_rows_that_are_taken_one_by_one_need_no_common_length(
    code: str, becomes: str | None
) -> None:
    program, name = use(code)
    edits = by_row(program, name)

    made = None if edits is None else program.replace(edits).code
    assert made == (None if becomes is None else f"{becomes}\n")


@pytest.mark.parametrize(
    ("code", "shown", "index"),
    [
        ("print(t)", True, False),
        ("f'{t}'", True, False),
        ("x[t]", False, True),
        ("x.gather(1, t)", False, True),
        ("torch.index_select(x, 0, t)", False, True),
        ("len(t)", False, False),
        ("t.sum()", False, False),
    ],
)
def test_what_a_tensor_is_used_for(code: str, shown: bool, index: bool) -> None:
    program, name = use(code)

    assert (is_shown(program, name), is_index(program, name)) == (shown, index)
