"""Give cross entropy one class index for each prediction, with the classes in second place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.losses import LossCall, loss_alive, loss_call
from knowledge.repair.toolkit.shapes import (
    Shape,
    same_layers,
    same_numbers,
    still_computed,
    swapped,
)
from knowledge.repair.toolkit.sites import integer, seen_error

# Error families.
_COLUMN, _SPATIAL = "loss_one_dimension", "loss_spatial_target"
_CLASSES, _BATCH = "loss_target_shape", "loss_batch_sizes"


def applies(result: JobResult) -> bool:
    """Cross entropy or NLL got a target that does not go with its predictions."""
    return _error(result) is not None


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = seen_error(result, _COLUMN, _SPATIAL, _CLASSES, _BATCH)
    seen = read(error, _SPATIAL) if error is not None else None
    return error if seen is None or seen["dimensions"] == "4" else None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """Drop the target's needless dimension, move the classes, or flatten both alike."""
    error = _error(result)
    loss = loss_call(program, result, error)
    if error is None or loss is None:
        return
    line = f"line {program.line(loss.call)}"
    given, target = loss.input_shape, loss.target_shape
    if is_a(error, _COLUMN, _SPATIAL):
        if target is not None and given is not None and target[1] == 1 and given[1] > 1:
            new = method(loss.target, "squeeze", cst.Arg(integer(1)))
            yield Rewrite(
                program.replace({loss.target: new}),
                f"{line}: the target {list(target)} has one index a row; its dimension of size 1 "
                "goes",
            )
    elif is_a(error, _CLASSES):
        if given is not None and target is not None and len(given) == 3 and given[:2] == target:
            yield Rewrite(
                program.replace({loss.input: swapped(program, loss.input, 1, 2)}),
                f"{line}: in {list(given)} the {given[2]} classes have to be second",
            )
    elif given is not None and target is not None:
        yield from _same_batch(program, loss, given, target, line)


def _same_batch(
    program: Program, loss: LossCall, given: Shape, target: Shape, line: str
) -> Iterator[Rewrite]:
    if target == () and given[:1] == (1,) and len(given) == 2:
        new = method(loss.target, "unsqueeze", cst.Arg(integer(0)))
        what = f"{line}: the prediction is a batch of one, so the target becomes one too"
        yield Rewrite(program.replace({loss.target: new}), what)
    elif len(given) == 3 and target == (given[0] * given[1],):
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        pair = (cst.Arg(integer(0), comma=comma), cst.Arg(integer(1)))
        what = (
            f"{line}: {list(given)} becomes one row of classes for each of the {target[0]} targets"
        )
        yield Rewrite(program.replace({loss.input: method(loss.input, "flatten", *pair)}), what)
    elif len(given) == 2 and len(target) == 2 and given[0] == math.prod(target):
        new = method(loss.target, "flatten")
        what = f"{line}: one target for each of the {given[0]} rows"
        yield Rewrite(program.replace({loss.target: new}), what)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same predictions and targets, and one that can still change."""
    kept = still_computed(_error(before), proposal.code, may_go=("transpose", "swapaxes"))
    return [kept, same_layers(before, after), same_numbers(before, after), loss_alive(after)]
