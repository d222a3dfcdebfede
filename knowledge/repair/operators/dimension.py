"""Insert, drop or turn a dimension of a tensor where it meets what it does not fit.

Which of these is meant the code seldom says, so each says what it supposes of the tensor.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.live import Operand, tensors
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import integer

_SPEAKS_OF_SHAPES = re.compile(
    r"(?i)shape|size|dimension|\b[0-9]D\b|-D\b|expected|must match|broadcast|columns|rows|channels"
)
_FRAMES = 2  # of the innermost ones: further out other values are meant
_MOST_DIMENSIONS = 4
_TURNED = 1.7  # right as often as not, so dearer than edits of which that is not so
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def applies(result: JobResult) -> bool:
    """The error speaks of shapes."""
    return result.error is not None and bool(_SPEAKS_OF_SHAPES.search(result.error.message))


def edits(failure: Failure) -> Iterable[Rewrite]:
    """One dimension of one operand inserted, dropped or turned."""
    for out, place in enumerate(failure.places[:_FRAMES]):
        for operand in tensors(failure, place):
            if operand.value.dim() <= _MOST_DIMENSIONS:
                yield from _of(failure, operand, out * 2 * COST.FAR)


def _of(failure: Failure, operand: Operand, far: float) -> Iterator[Rewrite]:
    shape = tuple(operand.value.shape)
    name = failure.program.text(operand.node)
    for d, size in enumerate(shape):
        if size == 1 and len(shape) > 1:
            last = d == len(shape) - 1
            yield _changed(
                failure, operand, "squeeze", (-1 if last else d,), _TURNED + far,
                f"the {_which(d, shape)} dimension of `{name}` says nothing: it is 1",
            )  # fmt: skip
    for d in range(len(shape) + 1):
        at = d if d < len(shape) or not shape else -1
        meaning = (
            f"`{name}` is one sample" if d == 0 else
            f"each number of `{name}` is one feature" if at == -1 else
            f"`{name}` has one channel"
        )  # fmt: skip
        yield _changed(failure, operand, "unsqueeze", (at,), _TURNED + 0.1 + far, meaning)
    for a, b in itertools.combinations(range(len(shape)), 2):
        if shape[a] == shape[b] or (b - a > 1 and len(shape) > 3):
            continue
        both = f"the {_which(a, shape)} and the {_which(b, shape)} dimension"
        meaning = f"{both} of `{name}` are in the wrong order"
        yield _changed(failure, operand, "transpose", (a, b), _TURNED + 0.3 + far, meaning)
    if len(shape) > 2:
        meaning = f"every sample of `{name}` is one row of numbers"
        yield _changed(failure, operand, "flatten", (1,), _TURNED + far, meaning)


def _which(dim: int, shape: tuple[int, ...]) -> str:
    return "last" if dim == len(shape) - 1 else _ORDINALS[dim]


def _changed(
    failure: Failure, operand: Operand, name: str, at: tuple[int, ...], cost: float, meaning: str
) -> Rewrite:
    program = failure.program
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    numbers = [cst.Arg(integer(d), comma=comma) for d in at[:-1]] + [cst.Arg(integer(at[-1]))]
    new = method(operand.node, name, *numbers)
    line = program.line(operand.node)
    text = program.text(operand.node)
    told = (
        f"line {line}: `{text}` {list(operand.value.shape)} as `{name}({', '.join(map(str, at))})`"
    )
    return Rewrite(program.replace({operand.node: new}), told, meaning, cost=cost)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still computed, of the same operands."""
    return [still_computed(before.error, proposal.code)]
