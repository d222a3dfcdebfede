"""Candidates that nobody ran, for tables of what a check says of them."""

from __future__ import annotations

from typing import Any

from executor.protocol import Influence, JobResult, ModuleTrial, Operation, Slices
from knowledge.repair.checks.runs import Tried
from knowledge.repair.mistake import mistake
from tests.built import failed, ran

# The second of three lines is the one that failed, and the one that was changed.
ORIGINAL = "first()\nsecond()\nthird()\n"
FIXED = "first()\nsecond(2)\nthird()\n"
BEFORE = failed("it failed", line=2)


def op(kind: str, name: str = "f", line: int = 2, **facts: Any) -> Operation:
    """A call of torch on a line of the candidate."""
    return Operation(kind=kind, name=name, line=line, **facts)


def trial(**facts: Any) -> ModuleTrial:
    """A module that was called again."""
    return ModuleTrial(
        **{"module": "Net", "line": 3, "inputs": ((4, 3),), "output": (4, 2)} | facts
    )


def slices(dim: int, used: int, tried: int = 3, argument: str = "0") -> Slices:
    """Slices of an input that were changed."""
    return Slices(argument=argument, dim=dim, tried=tried, used=used)


def tried(
    after: Influence | None = None,
    reference: Influence | None = None,
    *,
    original: str = ORIGINAL,
    fixed: str = FIXED,
    before: JobResult = BEFORE,
    ran_after: JobResult | None = None,
) -> Tried:
    """A candidate with what its run and the original's showed."""
    return Tried(
        original,
        fixed,
        before,
        (ran_after or ran()).model_copy(update={"influence": after}),
        before.model_copy(update={"influence": reference}),
        mistake(before),
    )
