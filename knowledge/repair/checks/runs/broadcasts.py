"""A result may not be larger than all that it is computed from, nor a prediction repeated."""

from collections.abc import Iterator

from knowledge.repair.changed import lines_of
from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried, operations


@refusing("broadcasts", "no operand is repeated against another")
def check(tried: Tried) -> Iterator[str]:
    """No outer product on a touched line, no prediction that was repeated to fit its target."""
    touched = lines_of(tried.original, tried.fixed).touched(tried.before)
    theirs = operations(tried.reference)
    meant = {(o.name, o.inputs) for o in theirs if o.kind == "outer"}
    for o in operations(tried.after):
        shapes = " and ".join(str(list(shape)) for shape in o.inputs[:2])
        if o.kind == "outer" and o.line in touched and (o.name, o.inputs) not in meant:
            detail = f"line {o.line} makes {list(o.output or ())} of {shapes}: every element of one"
            yield f"{detail} with every one of the other"
        repeated = o.kind == "expanded_prediction"
        if repeated and not any(old.kind == o.kind and old.inputs == o.inputs for old in theirs):
            yield f"line {o.line} compares a prediction that was repeated to fit its target"
