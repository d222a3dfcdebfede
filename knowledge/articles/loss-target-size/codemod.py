"""Give a loss that compares number by number a target of the prediction's shape."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.job import Caught, ErrorSeen, JobResult, WarningSeen
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.edits import Program, method
from knowledge.losses import LossCall, loss_call, loss_call_on
from knowledge.shapes import Shape, same_layers, same_numbers, sizes, still_computed
from knowledge.sites import integer, seen_error

_TEXTS = ("Using a target size (", "must be the same as input size (")
_BOTH = re.compile(r"arget size \(torch\.Size\(\[([\d, ]*)\]\)\).*input size "
                   r"\(torch\.Size\(\[([\d, ]*)\]\)\)")  # fmt: skip


def applies(result: JobResult) -> bool:
    """The loss refused the target's shape, or broadcast it against the prediction in silence."""
    return seen_error(result, *_TEXTS) is not None or (
        any(f.kind == "loss_broadcasts" for f in result.findings) and _warned(result) is not None
    )


def _warned(result: JobResult) -> WarningSeen | None:
    return next((w for w in result.warnings if _TEXTS[0] in w.message and w.line), None)


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """unsqueeze or squeeze the target, where a dimension of size 1 is all that differs."""
    error: ErrorSeen | Caught | None = seen_error(result, *_TEXTS)
    loss: LossCall | None
    if error is not None:
        loss, message = loss_call(program, result, error), error.message
    else:
        warned = _warned(result)
        if warned is None or warned.line is None:
            return
        loss, message = loss_call_on(program, result, warned.line), warned.message
    found = _BOTH.search(message.replace("\n", " "))
    if loss is None or found is None:
        return
    target, given = sizes(found[1]), sizes(found[2])
    change = _change(target, given)
    if change is None:
        return
    name, at = change
    new = method(loss.target, name, cst.Arg(integer(at)))
    yield Rewrite(
        program.replace({loss.target: new}),
        f"line {program.line(loss.call)}: the target {list(target)} gets the prediction's shape "
        f"{list(given)}",
    )


def _change(target: Shape, given: Shape) -> tuple[str, int] | None:
    """The one dimension of size 1 to add to the target or to take from it; None if it is not one.

    [8] and [8, 1] differ so; [1, 8] and [8, 1] do not, and which is right nobody can tell.
    """
    if len(given) == len(target) + 1:
        places = [i for i, n in enumerate(given) if n == 1 and given[:i] + given[i + 1 :] == target]
        return ("unsqueeze", places[-1]) if places else None
    if len(target) == len(given) + 1:
        places = [
            i for i, n in enumerate(target) if n == 1 and target[:i] + target[i + 1 :] == given
        ]
        return ("squeeze", places[-1]) if places else None
    return None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same prediction and target, and no warning about their sizes."""
    kept = still_computed(seen_error(before, *_TEXTS), proposal.code)
    warned = _warned(after)
    detail = f"line {warned.line} still compares different sizes" if warned else "sizes are equal"
    sized = Check(name="sizes", passed=warned is None, detail=detail)
    return [kept, sized, same_layers(before, after), same_numbers(before, after)]
