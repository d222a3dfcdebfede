"""Give a loss that compares number by number a target of the prediction's shape."""

from __future__ import annotations

import libcst as cst

from executor.errors import SeenError, family_of
from executor.protocol import JobResult, WarningSeen
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.losses import LossCall, loss_call, resized_target
from knowledge.repair.toolkit.shapes import resized_call, same_numbers, size_given
from knowledge.repair.toolkit.sites import calls

ERRORS = ("loss_sizes",)
KEEPS = (computed(), layers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """unsqueeze or squeeze the target; else as many outputs as there are targets."""
    loss, seen = loss_call(program, result, program.error), program.said
    if loss is None:
        return
    changed = list(resized_target(program, loss, seen))
    yield from changed
    if not changed:
        yield from _as_many_outputs(program, loss, seen)


def _as_many_outputs(program: Failed, loss: LossCall, seen: SeenError) -> Rewrites:
    """The last layer gives two scores a sample, and the target has one: yes or no."""
    target, given = seen.sizes("target"), seen.sizes("input")
    if len(target) != 2 or len(given) != 2 or target[0] != given[0] or target[1] != 1:
        return
    last = [
        c
        for c in calls(program, r"(^|\.)Linear$")
        if size_given(program, c, 1, "out_features") == given[1]
    ]
    if len(last) != 1 or not isinstance(loss.input, cst.Name):
        return
    for sized in resized_call(program, last[0], 1, "out_features", 1):
        told = f"each sample has one target, so the model gives one score instead of {given[1]}"
        yield sized.rewrite(told, subjects=(loss.input.value,))


def _is_told(warned: WarningSeen) -> bool:
    """Whether a warning says that the sizes differ."""
    seen = family_of(warned.category, warned.message)
    return seen is not None and seen.id in ERRORS


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same prediction and target, and no warning about their sizes."""
    warned = next((w for w in after.warnings if _is_told(w)), None)
    detail = f"line {warned.line} still compares different sizes" if warned else "sizes are equal"
    sized = Check(name="sizes", passed=warned is None, detail=detail)
    if proposal.subjects:  # a model with one score gives half as many numbers
        return [sized]
    return [sized, same_numbers(before, after)]
