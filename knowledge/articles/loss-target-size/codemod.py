"""Give a loss that compares number by number a target of the prediction's shape."""

from __future__ import annotations

from collections.abc import Iterable

from executor.job import JobResult
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.edits import Program
from knowledge.losses import loss_call, resized_target
from knowledge.shapes import same_layers, same_numbers, still_computed
from knowledge.sites import seen_error

_TEXTS = ("Using a target size (", "must be the same as input size (")


def applies(result: JobResult) -> bool:
    """The loss refused the target's shape."""
    return seen_error(result, *_TEXTS) is not None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """unsqueeze or squeeze the target, where a dimension of size 1 is all that differs."""
    error = seen_error(result, *_TEXTS)
    loss = loss_call(program, result, error)
    if error is not None and loss is not None:
        yield from resized_target(program, loss, error.message)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same prediction and target, and no warning about their sizes."""
    kept = still_computed(seen_error(before, *_TEXTS), proposal.code)
    warned = next((w for w in after.warnings if _TEXTS[0] in w.message), None)
    detail = f"line {warned.line} still compares different sizes" if warned else "sizes are equal"
    sized = Check(name="sizes", passed=warned is None, detail=detail)
    return [kept, sized, same_layers(before, after), same_numbers(before, after)]
