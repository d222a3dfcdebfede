"""A shape that a comment states is the shape that is printed, or that its line makes."""

from __future__ import annotations

from knowledge.repair.changed import lines_of
from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried, influence
from knowledge.repair.stated import contradicts, is_printed, stated_results, stated_shapes


def check(tried: Tried) -> Check:
    """What comments say of printed shapes and of results holds, where it did not fail before."""
    for printed in stated_shapes(tried.original):
        if not is_printed(printed, tried.after.stdout):
            detail = f"a comment says that {printed} is printed, and it is not"
            return Check(name="stated shapes", passed=False, detail=detail)
    lines = lines_of(tried.original, tried.fixed)
    made, was = influence(tried.after).results, influence(tried.reference).results
    for line, said in stated_results(tried.fixed):
        shape = made.get(line)
        before = was.get(lines.same.get(line, 0))
        if shape is not None and shape != before and contradicts(said, shape, tried.fixed):
            detail = f"line {line} makes {list(shape)}, and a comment says ({', '.join(said)})"
            return Check(name="stated shapes", passed=False, detail=detail)
    return Check(name="stated shapes", passed=True, detail="shapes are as the comments say")
