"""Scores are not compared with labels: nothing would ever be equal."""

from collections.abc import Iterator

from knowledge.repair.changed import lines_of
from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried, operations


@refusing("compared values", "no score is compared with a label")
def check(tried: Tried) -> Iterator[str]:
    """No `==` on a touched line between numbers that are not whole and numbers that are."""
    touched = lines_of(tried.original, tried.fixed).touched(tried.before)
    known = {o.inputs for o in operations(tried.reference) if o.kind == "labels_compared"}
    for o in operations(tried.after):
        if o.kind == "labels_compared" and o.line in touched and o.inputs not in known:
            yield f"line {o.line} compares scores, or rows of ones, with labels: few match"
