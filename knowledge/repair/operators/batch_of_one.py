"""Repeat what is there once for each sample of its partner, where a call does not broadcast.

One grid, token, query or first state for all: `grid.expand(tiles.size(0), -1, -1, -1)`. A loss is
left alone: one prediction is not several.
"""

from __future__ import annotations

import re

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits, method, operand
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.live import evaluates, tensors
from knowledge.repair.toolkit.sites import integer

TYPES = frozenset({"RuntimeError"})
KEEPS = (computed(allowed=("expand", "size")),)
_NO_SAMPLES = re.compile(r"(?i)loss|entropy|nll|crit|mse|bce|kl_div|conv|linear")


def edits(failure: Failure) -> Rewrites:
    """The one edit of a call after which it has a value."""
    place = next(iter(failure.places), None)
    if place is None or not isinstance(place.node, cst.Call) or failure.writes(place.node):
        return
    called = f"{failure.text(place.node.func)} {type(failure.value(place.node.func)).__name__}"
    given = [o for o in tensors(failure, place) if o.value.dim() > 1]
    if _NO_SAMPLES.search(called) or not all(o.value.is_floating_point() for o in given):
        return
    for dim in range(2 if all(o.value.dim() == 3 for o in given) else 1):  # time may come first
        more = [o for o in given if o.value.shape[dim] > 1]
        changes, new = Edits(), place.node
        for one in (o for o in given if o.value.shape[dim] == 1 and more):
            sizes = [cst.Arg(integer(-1)) for _ in one.value.shape]
            sizes[dim] = cst.Arg(method(operand(more[0].node), "size", cst.Arg(integer(dim))))
            changes[one.node] = wide = method(operand(one.node), "expand", *sizes)
            new = cst.ensure_type(new.deep_replace(one.node, wide), cst.Call)
        if changes and evaluates(failure, place, new):
            name, other = failure.text(next(iter(changes))), failure.text(more[0].node)
            told = f"`{name}` is repeated for each of the {more[0].value.shape[dim]} of `{other}`"
            meant = f"`{name}` is the same for all of `{other}`"
            yield failure.edit(changes, told, meant, at=place.node, supposes=True, as_one=True)
            return
