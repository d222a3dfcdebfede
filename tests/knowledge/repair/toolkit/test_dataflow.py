"""knowledge/repair/toolkit/dataflow.py: what makes a tensor, and what lists hold."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.dataflow import Unasked, asking, rectangle
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


@pytest.mark.parametrize(
    ("value", "bare", "wrapper"),
    [
        ("torch.randn(3, requires_grad=True)", "torch.randn(3)", ""),
        ("torch.randn(3).requires_grad_() * 2", "torch.randn(3) * 2", ""),
        ("nn.Parameter(torch.randn(3))", "torch.randn(3)", "nn.Parameter"),
        ("nn.Parameter(a + b) * 2", "(a + b) * 2", "nn.Parameter"),
        ("nn.Parameter(a + b)", "a + b", "nn.Parameter"),
        ("Variable(a, requires_grad=True)", "a", "Variable"),
        ("f(a)", "f(a)", None),
        ("nn.Buffer(a)", "nn.Buffer(a)", None),
    ],
)
def test_what_asks_for_a_gradient_is_taken_out(value: str, bare: str, wrapper: str | None) -> None:
    asks = Unasked("Parameter", "Variable")
    made = asks.of(cst.parse_expression(value))

    assert cst.Module(()).code_for_node(made) == bare
    assert (asks.found, asks.wrapper) == (wrapper is not None, wrapper or "")


def test_a_parameter_is_none_where_only_arguments_ask() -> None:
    asks = Unasked()

    assert cst.Module(()).code_for_node(asks.of(cst.parse_expression("Parameter(a)"))) == (
        "Parameter(a)"
    )
    assert not asks.found
