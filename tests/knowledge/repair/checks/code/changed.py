"""What a check of two codes says of a rewrite, on a built result."""

from __future__ import annotations

from collections.abc import Callable

from executor.protocol import Frame, JobResult, Variable
from knowledge.repair.check import Check
from knowledge.repair.checks.code import Change
from tests.built import failed


def refused(
    check: Callable[[Change], Check],
    old: str,
    new: str,
    result: JobResult | None = None,
    **said: str,
) -> str:
    """Why the check refuses the rewrite; empty if it does not."""
    found = check(Change(old, new, result or failed("it failed"), **said))
    return "" if found.passed else found.detail


def saw(message: str = "it failed", **live: Variable) -> JobResult:
    """A failed run whose frame had these variables."""
    return failed(message, frames=(Frame(function="<module>", line=1, locals=live),))


def tensor(*shape: int, dtype: str = "float32", **facts: object) -> Variable:
    """A tensor as a run saw it."""
    return Variable(**{"type": "Tensor", "shape": shape, "dtype": dtype} | facts)


NUMBER = Variable(type="int", repr="3")
