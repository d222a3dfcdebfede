"""Give a scheduler one setting for all parameter groups, where a list holds too few of them."""

from __future__ import annotations

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.live import evaluates

ERRORS = ("settings_per_group",)


def edits(failure: Failure) -> Rewrites:
    """A list of one setting becomes that setting, which holds for every group."""
    place = next(iter(failure.places), None)
    if place is None or not isinstance(place.node, cst.Call):
        return
    for given in place.node.args:
        listed = given.value
        if not isinstance(listed, (cst.List, cst.Tuple)) or len(listed.elements) != 1:
            continue
        only = listed.elements[0].value
        changed = place.node.deep_replace(listed, only)
        if isinstance(changed, cst.BaseExpression) and evaluates(failure, place, changed):
            yield failure.edit({listed: only}, "the one setting holds for every parameter group")
