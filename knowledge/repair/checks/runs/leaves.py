"""Gradients are asked of what is trained: not of a target, a result, or the loss itself."""

from __future__ import annotations

from knowledge.repair.changed import lines_of
from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried, influence, operations

_ASKED = {"target_gradient": "a target", "result_gradient": "a result"}


def check(tried: Tried) -> Check:
    """No changed line asks a target or a result for a gradient; no loss comes from nothing."""
    lines = lines_of(tried.original, tried.fixed)
    for o in operations(tried.after):
        if o.kind in _ASKED and o.line in lines.changed:
            detail = f"line {o.line} asks {_ASKED[o.kind]} for a gradient, and no parameter gets it"
            return Check(name="leaves", passed=False, detail=detail)
    known = influence(tried.reference).leaf_losses
    for line in influence(tried.after).leaf_losses:
        if lines.same.get(line) not in known:
            detail = f"line {line} computes gradients of a loss that depends on nothing"
            return Check(name="leaves", passed=False, detail=detail)
    return Check(name="leaves", passed=True, detail="gradients go where they were meant to")
