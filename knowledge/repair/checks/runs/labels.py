"""Scores are not compared with labels: nothing would ever be equal."""

from __future__ import annotations

from knowledge.repair.changed import lines_of
from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried, operations


def check(tried: Tried) -> Check:
    """No `==` on a touched line between numbers that are not whole and numbers that are."""
    touched = lines_of(tried.original, tried.fixed).touched(tried.before)
    known = {o.inputs for o in operations(tried.reference) if o.kind == "labels_compared"}
    for o in operations(tried.after):
        if o.kind == "labels_compared" and o.line in touched and o.inputs not in known:
            detail = f"line {o.line} compares scores, or rows of ones, with labels: few match"
            return Check(name="compared values", passed=False, detail=detail)
    return Check(name="compared values", passed=True, detail="no score is compared with a label")
