"""Tell `vmap` which of its inputs have the mapped dimension.

By default the first dimension of every input is mapped. An input in which it has another size than
the batch, or that is no tensor, is the same for all: `in_dims=(None, 0)`.
"""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import evaluates, made_callable
from knowledge.repair.toolkit.sites import argument, with_argument

SPEAKS = r"(?s)\Avmap.*(?:in_dim|in the mapped dimension)"
_MOST = 6  # inputs


def edits(failure: Failure) -> Rewrites:
    """One 0 for each input that has a row for each sample, None for the others."""
    place = next(iter(failure.places), None)
    if place is None or not isinstance(place.node, cst.Call) or len(place.node.args) > _MOST:
        return
    call, mapped = place.node, made_callable(failure, place)
    if mapped is None or not failure.text(mapped.func).endswith("vmap"):
        return
    if argument(mapped, 1, "in_dims") is not None or any(a.keyword or a.star for a in call.args):
        return
    values = [failure.value(a.value, place.frame) for a in call.args]
    given = [_sizes(v) for v in values]
    # What is the same for all seldom has a dimension more than a row has with the batch.
    most = max((getattr(v, "ndim", 0) for v in values), default=0)
    costs: dict[int, float] = {}
    for sizes, value in zip(given, values, strict=True):
        rows = next(iter(sizes)) if len(sizes) == 1 else None
        if rows is not None:
            cost = COST.SURE if getattr(value, "ndim", 0) == most else COST.POSSIBLE
            costs[rows] = min(cost, costs.get(rows, cost))
    for batch, cost in costs.items():
        dims = ["0" if s == {batch} else "None" for s in given]
        if "None" not in dims:
            continue
        comma = "," if len(dims) == 1 else ""
        option = cst.parse_expression(f"({', '.join(dims)}{comma})")
        new = with_argument(mapped, 1, "in_dims", option)
        changed = call.with_changes(func=new)
        if not evaluates(failure, place, changed):
            continue
        told = f"one row of {batch} is taken of what has so many; the rest is the same for all"
        yield failure.edit({mapped: new}, told, cost=cost)


def _sizes(value: object) -> set[int | None]:
    """The first dimension of every tensor in an input; None for what has none."""
    if isinstance(value, (dict, list, tuple)):
        parts = value.values() if isinstance(value, dict) else value
        return set().union(*map(_sizes, parts))
    return {value.shape[0] if isinstance(value, torch.Tensor) and value.dim() else None}
