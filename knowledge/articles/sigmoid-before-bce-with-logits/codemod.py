"""Let the model hand on its scores: the loss applies sigmoid itself."""

from __future__ import annotations

from collections.abc import Iterable

from executor.job import JobResult
from knowledge import twice
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.edits import Program

_KIND = "sigmoid_before_bce_with_logits"


def applies(result: JobResult) -> bool:
    """The loss was computed from a sigmoid."""
    return any(f.kind == _KIND for f in result.findings)


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The one sigmoid in the snippet left out."""
    yield from twice.without_activation(program, "sigmoid", "Sigmoid", "BCEWithLogitsLoss")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Applied once, and nothing else changed."""
    return twice.checks(before, after, _KIND)
