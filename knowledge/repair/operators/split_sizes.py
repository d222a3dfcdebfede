"""Let the parts of a split add up to what is split: the last one is the rest.

`random_split(data, [int(0.8 * n), int(0.2 * n)])` loses what rounding cuts off. Lengths that are
no whole numbers are rounded where they are computed, and what is left of the data stays so.
"""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, call
from knowledge.repair.toolkit.sites import argument, assignment

ERRORS = ("split_lengths", "overload")


def edits(failure: Failure) -> Rewrites:
    """The last length as the length of the data less the others."""
    place = next(iter(failure.places), None)
    if place is None or not isinstance(place.node, cst.Call):
        return
    data, lengths = argument(place.node, 0, "dataset"), argument(place.node, 1, "lengths")
    if data is None or lengths is None:
        return
    parts: cst.BaseExpression = lengths.value
    if isinstance(parts, cst.Name):
        made = assignment(failure, parts.value, place.node)
        parts = made.value if made is not None else parts
    whole = failure.value(data.value, place.frame)
    if not isinstance(parts, (cst.List, cst.Tuple)) or len(parts.elements) < 2:
        return
    values = [failure.value(e.value, place.frame) for e in parts.elements]
    if any(type(v) is float and v > 1 for v in values):
        yield from _whole(failure, [e.value for e in parts.elements])
        return
    if not all(type(v) is int for v in values) or not hasattr(whole, "__len__"):
        return
    if not 0 < abs(len(whole) - sum(values)) < len(values):
        return  # more than rounding
    last = parts.elements[-1].value
    if isinstance(last, cst.Name):
        made = assignment(failure, last.value, place.node)
        last = made.value if made is not None else last
    others = [failure.text(e.value) for e in parts.elements[:-1]]
    rest = " - ".join((f"len({failure.text(data.value)})", *others))
    told = f"the last part is the rest, `{rest}`"
    yield failure.edit({last: cst.parse_expression(rest)}, told, cost=COST.SAID)


def _whole(failure: Failure, parts: list[cst.BaseExpression]) -> Rewrites:
    """`int(0.15 * n)`, where a share of the data is computed."""
    changes: Edits = {}
    for part in parts:
        made = assignment(failure, part.value, part) if isinstance(part, cst.Name) else None
        share = made.value if made is not None else part
        if isinstance(share, cst.BinaryOperation) and failure.inside(share, cst.Float):
            changes[share] = call("int", cst.Arg(share))
    if changes:
        yield failure.edit(changes, "the lengths are whole numbers", as_one=True)
