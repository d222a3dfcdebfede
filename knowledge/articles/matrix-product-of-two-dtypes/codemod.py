"""Give the data the dtype of the weights, where the data are made.

The weights say what is meant: nobody casts a model by accident, but NumPy's float64 and Python's
integers come along unasked. Two plain tensors have no such side; then both ways are shown.
Half precision is left alone: whether rounding is wanted is not for an edit to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from executor.job import Caught, ErrorSeen, JobResult, Variable
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.computed import reaches_leaves, same_tensors
from knowledge.edits import Program
from knowledge.origins import Passed, cast_at_origin, passed
from knowledge.sites import failing_statement, seen_error, variables

_ERRORS = (
    "must have the same dtype", "to have the same dtype", "expected scalar type", "Found dtype",
    "can't be cast to the desired output type", "should be the same", "does not match weight dtype",
    "to have same dtype", "addmv input tensors",
)  # fmt: skip
_NAMES = {"Float": "float32", "Double": "float64", "Long": "int64", "Int": "int32",
          "Byte": "uint8", "Bool": "bool", "Short": "int16", "float": "float32",
          "double": "float64", "long": "int64", "long long": "int64", "int": "int32",
          "long int": "int64", "unsigned char": "uint8", "bool": "bool"}  # fmt: skip
_INTEGERS = {"int64", "int32", "uint8", "bool", "int16"}
_PAIR = (
    re.compile(r"same dtype, but got:? ([\w ]+?)(?: and | != )([\w ]+)"),
    re.compile(r"Input type \(([\w ]+)\) and (?:bias|weight) type \(([\w ]+)\)"),
    re.compile(r"input dtype \(torch\.(\w+)\) does not match weight dtype \(torch\.(\w+)\)"),
    re.compile(r"same dtype, but found (\w+) and (\w+)"),
    re.compile(r"addmv input tensors must have the same dtype, but got \w+, (\w+), and (\w+)"),
    re.compile(r"Input type \(torch\.(\w+)Tensor\) and weight type \(torch\.(\w+)Tensor\)"),
)
_LOSS = re.compile(r"Found dtype (\w+) but expected (\w+)")
_RESULT = re.compile(r"result type (\w+) can't be cast to the desired output type (\w+)")
_SCALAR = re.compile(r"expected scalar type (\w+) but found (\w+)")


def applies(result: JobResult) -> bool:
    """Two tensors of different dtypes met where one is needed."""
    error = seen_error(result, *_ERRORS)
    return error is not None and _dtypes(error.message) is not None


def _dtypes(message: str) -> tuple[str, str] | None:
    """(the data's, the weights'), or (first operand's, second's)."""
    for pattern in _PAIR:
        if m := pattern.search(message):
            return _both(m[1], m[2])
    if m := _LOSS.search(message):
        return _both(m[1], m[2])
    if m := _RESULT.search(message):
        return _both(m[2], m[1])
    if m := _SCALAR.search(message):
        return _both(m[2], m[1])
    return None


def _both(a: str, b: str) -> tuple[str, str] | None:
    a, b = a.strip(), b.strip()
    own = set(_NAMES.values())
    pair = _NAMES.get(a, a if a in own else None), _NAMES.get(b, b if b in own else None)
    return (pair[0], pair[1]) if pair[0] and pair[1] else None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The data cast where they are made, else where they are passed."""
    error = seen_error(result, *_ERRORS)
    assert error is not None
    dtypes = _dtypes(error.message)
    if dtypes is None:
        return
    data, weights = dtypes
    if result.layer is not None or _LOSS.search(error.message) or _RESULT.search(error.message):
        given = passed(program, result, lambda facts: facts.dtype == data)
        if given is not None and given.facts.dtype is not None:
            yield from _cast(program, given, data, weights)
        return
    yield from _two_tensors(program, result, error, data, weights)


def _cast(
    program: Program, given: Passed, old: str, new: str, intent: str = "", said: str = ""
) -> Iterator[Rewrite]:
    if new in _INTEGERS and old not in _INTEGERS:
        return  # that would cut off what is behind the point
    for edits, where in cast_at_origin(program, given, new):
        yield Rewrite(
            program.replace(edits), f"{where} as {new}, not {old}", intent,
            (given.name.value,), said,
        )  # fmt: skip


def _two_tensors(
    program: Program, result: JobResult, error: ErrorSeen | Caught, first: str, second: str
) -> Iterator[Rewrite]:
    """`a @ b`: integers become floats; of two kinds of float either may be meant."""
    statement = failing_statement(program, error)
    seen = variables(result)
    if statement is None:
        return
    by_dtype = {d: _named(program, statement, seen, d) for d in (first, second)}
    for bad, good in ((first, second), (second, first)):
        given = by_dtype[bad]
        if given is None:
            continue
        if bad in _INTEGERS and good not in _INTEGERS:
            yield from _cast(program, given, bad, good)
        elif bad not in _INTEGERS and good not in _INTEGERS:
            yield from _cast(program, given, bad, good, f"compute in {good}",
                             rf"\b{good}\b|\b{good.replace('float64', 'double')}\b")  # fmt: skip


def _named(
    program: Program, statement: cst.SimpleStatementLine, seen: dict[str, Variable], dtype: str
) -> Passed | None:
    names = {
        n.value: n
        for n in program.inside(statement, cst.Name)
        if (facts := seen.get(n.value)) is not None and facts.dtype == dtype
    }
    if len(names) != 1:
        return None
    name = next(iter(names.values()))
    return Passed(name, seen[name.value], statement)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same numbers in the new dtype, and every backward still reaches its leaves."""
    return [
        same_tensors(before, after, proposal.code, _random(proposal)),
        reaches_leaves(after, wanted=False),
    ]


def _random(proposal: Proposal) -> list[str]:
    """Subjects that are random numbers: in another dtype they are drawn anew."""
    return [s for s in proposal.subjects if re.search(rf"\b{s}\s*=[^\n]*rand", proposal.code)]
