"""Take the values of the pair that `max` gives before they are indexed: `q.max(dim=1).values`.

With a dimension `max`, `sort` and `topk` give values and places; `best[j]` then takes all values of
the pair, or all places, where the j-th value is meant.
"""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import operand
from knowledge.repair.toolkit.flow import reads
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.sites import assignment, scope_of

TYPES = frozenset({"RuntimeError", "IndexError", "ValueError", "TypeError"})
_TOLD = "the values are indexed", "the pair is left as it is"
KEEPS = (written("values", *_TOLD, has=r"\.values"),)


def edits(failure: Failure) -> Rewrites:
    """`.values` where the pair is made, if an index of the failing statement is a variable."""
    for index in failure.inside(failure.statement, cst.Subscript):
        pair = index.value
        if not isinstance(pair, cst.Name) or not _is_pair(failure.value(pair)):
            continue
        if not failure.inside(index.slice[0], cst.Name):
            continue  # `[0]` and `[1]` take one of the two
        made = assignment(failure, pair.value, index)
        if made is None or any(
            not isinstance(around := failure.parent(read), cst.Subscript)
            or around.value is not read
            for read in reads(failure, pair.value, scope_of(failure, index))
        ):
            continue
        value = cst.Attribute(operand(made.value), cst.Name("values"))
        told = f"`{pair.value}` holds the values alone, and not the pair of values and places"
        meaning = f"`{failure.text(index)}` is meant to be one of the values"
        yield failure.edit({made.value: value}, told, meaning, at=made)
        return


def _is_pair(value: object) -> bool:
    """Whether it is what a reduction returns: values and their places."""
    fields = ("values", "indices")
    return isinstance(value, tuple) and all(hasattr(value, field) for field in fields)
