"""Number the classes from 0, or give the model a score for each class that there is."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program, operand
from knowledge.repair.toolkit.losses import loss_alive, loss_call
from knowledge.repair.toolkit.shapes import (
    as_large_as,
    indices_kept,
    resized_call,
    same_layers,
    size_given,
    span_of,
    still_computed,
)
from knowledge.repair.toolkit.sites import calls, integer, seen_error

_FAMILY = "class_out_of_bounds"


def applies(result: JobResult) -> bool:
    """A class index is as large as the number of scores, or larger."""
    return seen_error(result, _FAMILY) is not None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`labels - 1` where they start at 1, else the last layer's size, where both can be seen."""
    error = seen_error(result, _FAMILY)
    loss = loss_call(program, result, error)
    if error is None or loss is None or loss.input_shape is None or len(loss.input_shape) < 2:
        return
    classes = loss.input_shape[1]
    span = span_of(program, result, loss.target)
    if span is None or span[0] < 0:
        return
    line = f"line {program.line(loss.call)}"
    if span == (1, classes):
        minus = cst.BinaryOperation(operand(loss.target), cst.Subtract(), integer(1))
        yield Rewrite(
            program.replace({loss.target: minus}),
            f"{line}: the labels go from 1 to {classes}, and class indices start at 0",
        )
        return
    if span[1] < classes:
        return
    last = [
        c
        for c in calls(program, r"(^|\.)Linear$")
        if size_given(program, c, 1, "out_features") == classes
    ]
    if len(last) != 1:
        return
    ways = resized_call(program, last[0], 1, "out_features", span[1] + 1)
    told = f"labels go up to {span[1]}, so the model"
    yield from as_large_as(ways, span[1], told, "scores", classes)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same labels are learned, each as itself."""
    labels = indices_kept(proposal.code, "ignore_index")
    kept = still_computed(seen_error(before, _FAMILY), proposal.code)
    return [kept, labels, same_layers(before, after), loss_alive(after)]
