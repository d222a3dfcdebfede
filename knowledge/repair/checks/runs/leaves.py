"""Gradients are asked of what is trained: not of a target, a result, or the loss itself."""

from collections.abc import Iterator

from knowledge.repair.changed import lines_of
from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried, influence, operations

_ASKED = {"target_gradient": "a target", "result_gradient": "a result"}


@refusing("leaves", "gradients go where they were meant to")
def check(tried: Tried) -> Iterator[str]:
    """No changed line asks a target or a result for a gradient; no loss comes from nothing."""
    lines = lines_of(tried.original, tried.fixed)
    for o in operations(tried.after):
        if o.kind in _ASKED and o.line in lines.changed:
            yield f"line {o.line} asks {_ASKED[o.kind]} for a gradient, and no parameter gets it"
    known = influence(tried.reference).leaf_losses
    for line in influence(tried.after).leaf_losses:
        if lines.same.get(line) not in known:
            yield f"line {line} computes gradients of a loss that depends on nothing"
