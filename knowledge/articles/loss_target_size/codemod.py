"""Give a loss that compares number by number a target of the prediction's shape."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.losses import BOTH_SIZES, LossCall, loss_call, resized_target
from knowledge.repair.toolkit.shapes import (
    resized_call,
    same_layers,
    same_numbers,
    size_given,
    sizes,
    still_computed,
)
from knowledge.repair.toolkit.sites import calls, seen_error

_TEXTS = ("Using a target size (", "must be the same as input size (")


def applies(result: JobResult) -> bool:
    """The loss refused the target's shape."""
    return seen_error(result, *_TEXTS) is not None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """unsqueeze or squeeze the target; else as many outputs as there are targets."""
    error = seen_error(result, *_TEXTS)
    loss = loss_call(program, result, error)
    if error is None or loss is None:
        return
    changed = list(resized_target(program, loss, error.message))
    yield from changed
    if not changed:
        yield from _as_many_outputs(program, loss, error.message)


def _as_many_outputs(program: Program, loss: LossCall, message: str) -> Iterable[Rewrite]:
    """The last layer gives two scores a sample, and the target has one: yes or no."""
    found = BOTH_SIZES.search(message.replace("\n", " "))
    target, given = (sizes(found[1]), sizes(found[2])) if found is not None else ((), ())
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
        yield Rewrite(
            sized.module,
            f"line {sized.line}: each sample has one target, so the model gives one score instead "
            f"of {given[1]}",
            subjects=(loss.input.value,),
        )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same prediction and target, and no warning about their sizes."""
    kept = still_computed(seen_error(before, *_TEXTS), proposal.code)
    warned = next((w for w in after.warnings if _TEXTS[0] in w.message), None)
    detail = f"line {warned.line} still compares different sizes" if warned else "sizes are equal"
    sized = Check(name="sizes", passed=warned is None, detail=detail)
    found = [kept, sized, same_layers(before, after)]
    if not proposal.subjects:  # a model with one score gives half as many numbers
        found.append(same_numbers(before, after))
    return found
