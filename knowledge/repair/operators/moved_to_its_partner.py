"""Move what a line is given to the GPU on which all that it meets lies: `x.to(y.device)`.

What the code makes itself is made there by another operator, and what an attribute of a module
holds is registered. What a caller passes on is moved in the caller's line.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from knowledge.repair.applies import TWO_DEVICES
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit import keeps
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import Operand, called_module, tensors

ERRORS = TWO_DEVICES
KEEPS = (keeps.computed(), keeps.tensors, keeps.layers)


def edits(failure: Failure) -> Rewrites:
    """All operands that lie on the CPU, where the rest lies on one GPU."""
    stayed: list[Any] = []
    found: tuple[Place, list[Operand]] | None = None
    for place in failure.places:
        given = tensors(failure, place)
        if not stayed and _there(failure, place, given):
            stayed = [o.value for o in given if o.value.device.type == "cpu"]
        here = [o for o in given if any(o.value is one for one in stayed)]
        if here and len(here) == len(stayed) and _there(failure, place, given):
            found = place, here
    if found is None or not all(_is_given(failure, operand) for operand in found[1]):
        return
    place, operands = found
    there = _there(failure, place, tensors(failure, place))
    moved: Edits = {
        o.node: method(o.node, "to", cst.Arg(cst.parse_expression(there))) for o in operands
    }
    named = " and ".join(f"`{failure.text(o.node)}`" for o in operands)
    told = f"{named} moved to the GPU of the rest"
    meaning = f"{named} {'belong' if len(operands) > 1 else 'belongs'} on the GPU of the rest"
    yield failure.edit(moved, told, meaning, at=place.node, cost=COST.LIKELY, as_one=True)


def _is_given(failure: Failure, operand: Operand) -> bool:
    """Whether it is no call's result, and no attribute of the module itself."""
    called = isinstance(operand.node, (cst.Name, cst.Attribute, cst.Subscript))
    return called and not failure.text(operand.node).startswith("self.")


def _there(failure: Failure, place: Place, given: tuple[Operand, ...]) -> str:
    """How the one GPU is written on which the others lie, or the weights of what is called."""
    module = called_module(failure, place)
    weights = {p.device for p in module.parameters()} if module is not None else set()
    gpus = {o.value.device for o in given if o.value.device.type != "cpu"} | weights
    if len(gpus) != 1 or next(iter(gpus)).type == "cpu":
        return ""
    for known in ("device", "self.device"):
        try:
            named = torch.device(failure.live.value(known, place.frame))
        except Exception:
            continue
        if named.type == next(iter(gpus)).type:
            return known
    if module is not None and isinstance(place.node, cst.Call):
        return f"next({failure.text(place.node.func)}.parameters()).device"
    partner = next(o for o in given if o.value.device in gpus)
    return f"{failure.text(partner.node).removesuffix('.data')}.device"
