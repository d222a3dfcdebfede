"""knowledge/repair/toolkit/dataflow.py: what makes a tensor, and what lists hold."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.dataflow import asking, rectangle
from knowledge.repair.toolkit.edits import Program


@pytest.mark.parametrize(
    ("made", "asks"),
    [
        ("torch.randn(3)", "torch.randn(3, requires_grad=True)"),
        ("torch.full_like(y, 2.0)", "torch.full_like(y, 2.0, requires_grad=True)"),
        ("torch.as_tensor(y)", "torch.as_tensor(y).requires_grad_()"),
        ("y * 2", "(y * 2).requires_grad_()"),
        ("load(y)", "load(y).requires_grad_()"),
    ],
)
def test_a_tensor_asks_for_a_gradient_where_it_is_made_if_its_maker_takes_that(
    made: str, asks: str
) -> None:
    program = Program(f"x = {made}\n")
    value = next(program.all(cst.Assign)).value

    assert program.module.code_for_node(asking(program, value)) == asks


@pytest.mark.parametrize(
    ("value", "shape"),
    [(3, ()), ([1, 2.5], (2,)), ([[1], [2]], (2, 1)), ([[1], [2, 3]], None), ([], None),
     (["a"], None)],
)  # fmt: skip
def test_nested_lists_of_numbers_have_a_shape_if_their_rows_are_equal(
    value: object, shape: tuple[int, ...] | None
) -> None:
    assert rectangle(value) == shape
