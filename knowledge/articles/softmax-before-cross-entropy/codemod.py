"""Let the model hand on its scores: the loss applies softmax itself."""

from __future__ import annotations

from collections.abc import Iterable

from executor.job import JobResult
from knowledge import twice
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.edits import Program

_KIND = "softmax_before_cross_entropy"


def applies(result: JobResult) -> bool:
    """The loss was computed from a softmax."""
    return any(f.kind == _KIND for f in result.findings)


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The one softmax in the snippet left out."""
    yield from twice.without_activation(program, "softmax", "Softmax", "cross-entropy")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Applied once, and nothing else changed."""
    return twice.checks(before, after, _KIND)
