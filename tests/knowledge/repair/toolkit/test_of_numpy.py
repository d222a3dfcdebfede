"""knowledge/repair/toolkit/of_numpy.py: what stands for a function of NumPy, and when."""

from __future__ import annotations

import libcst as cst
import pytest

from executor.protocol import ErrorSeen, Frame, JobResult, Outcome, Variable
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.of_numpy import of_numpy

SHAPES = {"table": (2, 3), "row_of": (3,), "cube": (2, 2, 2), "own": (3,), "number": ()}


def ways(call: str, before: str = "import torch", after: str = "") -> list[str]:
    """What a call of `torch.…` becomes, each way."""
    program = Failed(
        f"{before}\nx = {call}\n{after}",
        JobResult(
            outcome=Outcome.ERROR,
            error=ErrorSeen(type="AttributeError", message="no", line=2, code=call),
            frames=(
                Frame(
                    line=2,
                    function="<module>",
                    locals={n: Variable(type="Tensor", shape=s) for n, s in SHAPES.items()},
                ),
            ),
        ),
    )
    (called,) = [a.value for a in program.all(cst.Assign) if program.line(a) == 2]
    assert isinstance(called, cst.Call)
    name = program.text(called.func).removeprefix("torch.")
    code = (program.replace(edits).code for edits, _ in of_numpy(program, called, name))
    return [text.splitlines()[1].removeprefix("x = ") for text in code]


@pytest.mark.parametrize(
    ("call", "becomes"),
    [
        (
            "torch.apply_along_axis(f, 1, table)",
            ["torch.vmap(f)(table)", "torch.stack([f(row) for row in table])"],
        ),
        (
            "torch.apply_along_axis(f, 0, table)",
            [
                "torch.vmap(f, in_dims=1, out_dims=-1)(table)",
                "torch.stack([f(column) for column in table.unbind(1)], dim=-1)",
            ],
        ),
        ("torch.apply_along_axis(f, 1, cube)", []),  # which rows of it?
        ("torch.apply_along_axis(f, 2, table)", []),
        ("torch.apply_along_axis(f, 1, table, 4)", []),  # what goes to f is lost
        ("torch.nanmax(table, axis=1)", ["torch.nanquantile(table, 1.0, dim=1)"]),
        ("torch.nanmin(table)", ["torch.nanquantile(table, 0.0)"]),
        ("torch.nanmin()", []),
        ("torch.nanmin(input=table)", []),
        ("torch.apply_along_axis(f, 1, unknown)", []),
        ("torch.intersect1d(a, b)", ["a[torch.isin(a, b)].unique()"]),
        ("torch.intersect1d(a, b, True)", []),
        ("torch.fill_diagonal_(table, own)", ["table.diagonal().copy_(own)"]),
        ("torch.fill_diagonal_(table, number)", []),
        ("torch.rolling_mean(table, 2)", []),
    ],
)
def test_what_torch_has_instead_is_asked_with_the_same_arguments(
    call: str, becomes: list[str]
) -> None:
    assert ways(call) == becomes


def test_it_is_called_as_the_program_would_call_it() -> None:
    assert ways("torch.nanmax(table)", before="import torch as t") == ["t.nanquantile(table, 1.0)"]
    assert ways("torch.vectorize(f)", before="from torch import vmap", after="y = x(own)\n") == [
        "vmap(f)"
    ]


@pytest.mark.parametrize(
    ("after", "becomes"),
    [
        ("y = x(own)\n", ["torch.vmap(f)"]),
        ("y = x(table)\n", []),  # not of vectors
        ("y = x(unknown)\n", []),
        ("y = x(own)\nz = x(unknown)\n", []),
        ("", []),
    ],
)
def test_a_function_of_numbers_is_mapped_over_vectors_only(after: str, becomes: list[str]) -> None:
    assert ways("torch.vectorize(f)", after=after) == becomes
    assert ways("torch.vectorize(f, otypes)", after=after) == []
