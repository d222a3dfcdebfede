"""knowledge/repair/toolkit/two_dtypes.py: which dtype is meant where two met."""

from __future__ import annotations

import re

import libcst as cst
import pytest

from executor.protocol import ErrorSeen, Frame, JobResult, Outcome, Variable
from knowledge.repair.toolkit.dataflow import Passed
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.two_dtypes import cast_where_made, is_meant, says, two_tensors

COMPARED = "Float did not match Long"


def failed(code: str, message: str = "no", **dtypes: str) -> Failed:
    """A program whose last line failed, with tensors of these dtypes."""
    line = code.count("\n")
    frame = Frame(
        line=line,
        function="<module>",
        locals={n: Variable(type="Tensor", dtype=d) for n, d in dtypes.items()},
    )
    error = ErrorSeen(type="RuntimeError", message=message, line=line, code="")
    return Failed(code, JobResult(outcome=Outcome.ERROR, error=error, frames=(frame,)))


def given(program: Failed, name: str) -> Passed:
    """A variable of the last line."""
    statement = program.statement
    assert statement is not None
    node = next(n for n in program.inside(statement, cst.Name) if n.value == name)
    return Passed(node, program.seen[name], statement)


MADE = "a = torch.zeros(3)\nb = torch.arange(3)\nc = a @ b\n"


@pytest.mark.parametrize(
    ("code", "dtypes", "made"),
    [
        # Integers become floats, where they are made.
        (MADE, ("float32", "int64"), ["b = torch.arange(3, dtype=torch.float32)"]),
        (MADE, ("int64", "float32"), ["a = torch.zeros(3, dtype=torch.float32)"]),
        # Of two kinds of float either may be meant.
        (
            MADE,
            ("float32", "float64"),
            [
                "a = torch.zeros(3, dtype=torch.float64)",
                "b = torch.arange(3, dtype=torch.float32)",
            ],
        ),
        # Whoever writes both dtypes means them: cast where they meet; so in half precision.
        (
            "a = torch.zeros(3).float()\nb = torch.zeros(3).double()\nc = a @ b\n",
            ("float32", "float64"),
            ["c = a.double() @ b", "c = a @ b.float()"],
        ),
        (MADE, ("float32", "float16"), ["c = a.half() @ b", "c = a @ b.float()"]),
        (MADE, ("complex64", "float32"), ["c = a.real @ b", "c = a @ b.to(torch.complex64)"]),
        (MADE, ("complex64", "int64"), []),
        (MADE, ("int32", "int64"), []),
        ("a = b = f()\nc = a @ a @ b\n", ("float32", "float32"), []),  # which of them?
    ],
)
def test_two_tensors_of_two_dtypes(code: str, dtypes: tuple[str, str], made: list[str]) -> None:
    a, b = dtypes
    program = failed(code, a=a, b=b)
    old = code.splitlines()
    codes = [r.module.code.splitlines() for r in two_tensors(program, a, b)]

    assert [
        line for new in codes for line, was in zip(new, old, strict=True) if line != was
    ] == made


def test_what_is_compared_stays_an_integer_everywhere_else() -> None:
    code = "a = torch.zeros(3)\nb = torch.arange(3)\nassert_close(a, b)\n"
    program = failed(code, COMPARED, a="float32", b="int64")
    found = [r.module.code.splitlines()[-1] for r in two_tensors(program, "float32", "int64")]

    assert found == ["assert_close(a, b.float())"]
    assert list(two_tensors(program, "float32", "float64")) == []
    closer = failed(code, COMPARED, a="complex64", b="float32")
    assert list(two_tensors(closer, "complex64", "float32")) == []


def test_a_number_that_no_variable_holds_is_not_cast() -> None:
    code = "a = torch.zeros(3)\nc = a @ f()\n"

    for a, b in (("complex64", "float32"), ("float32", "complex64")):
        assert list(two_tensors(failed(code, a=a), a, b)) == []


def test_a_cast_that_would_cut_off_fractions_is_none() -> None:
    program = failed("x = torch.zeros(3)\nf(x)\n", x="float32")
    (cast,) = cast_where_made(program, given(program, "x"), "float32", "float64", "so it is meant")

    assert list(cast_where_made(program, given(program, "x"), "float32", "int64")) == []
    assert len(list(cast_where_made(program, given(program, "x"), "int32", "int64"))) == 1
    assert cast.module.code == "x = torch.zeros(3, dtype=torch.float64)\nf(x)\n"
    assert cast.title == "line 1: `x` is made as float64, not float32"
    assert cast.said == says("float64")


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("x = torch.zeros(3, dtype=torch.float64)\nf(x)\n", True),
        ("x = torch.zeros(3).double()\nf(x)\n", True),
        ("x = load()  # in double precision\nf(x)\n", True),
        ("x = load()\nprint('mixed-precision')\nf(x)\n", True),
        ("x = load()  # precision and recall\nf(x)\n", False),
        ("y = torch.zeros(3).double()\nx = load()\nf(x)\n", False),
        ("f(x)\n", False),
    ],
)
def test_a_precision_is_meant_where_the_code_writes_it_or_of_it(code: str, meant: bool) -> None:
    program = failed(code, x="float64")

    assert is_meant(program, given(program, "x"), "float64") is meant


@pytest.mark.parametrize(
    ("words", "dtype", "they_do"),
    [("in double", "float64", True), ("as float32", "float32", True), ("double", "float32", False)],
)
def test_words_say_a_dtype(words: str, dtype: str, they_do: bool) -> None:
    assert (re.search(says(dtype), words) is not None) is they_do
