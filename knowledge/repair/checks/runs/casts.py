"""A cast may not change values: 1.7 is not 1."""

from collections.abc import Iterator

from knowledge.repair.changed import lines_of
from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried, operations


@refusing("casts", "no cast changes a value")
def check(tried: Tried) -> Iterator[str]:
    """No cast on a changed line loses fractions or overflows, unless the original's did."""
    lines = lines_of(tried.original, tried.fixed)
    theirs = {(o.name, o.inputs) for o in operations(tried.reference) if o.kind == "lossy_cast"}
    for o in operations(tried.after):
        if o.kind == "lossy_cast" and o.line in lines.changed and (o.name, o.inputs) not in theirs:
            yield f"`{o.name}` at line {o.line} changes values when it casts them"
