"""Let the model hand on its scores: the loss applies softmax itself."""

from __future__ import annotations

from collections.abc import Iterable

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit import redundant_activation
from knowledge.repair.toolkit.edits import Program

_KIND = "softmax_before_cross_entropy"


def applies(result: JobResult) -> bool:
    """The loss was computed from a softmax."""
    return any(f.kind == _KIND for f in result.findings)


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The one softmax in the snippet left out."""
    yield from redundant_activation.without_activation(
        program, "softmax", "Softmax", "cross-entropy"
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Applied once, and nothing else changed."""
    return redundant_activation.checks(before, after, _KIND)
