"""Move what a line is given to the GPU on which all that it meets lies: `x.to(y.device)`.

What the code makes itself is made there by another operator, and what an attribute of a module
holds is registered. What a caller passes on is moved in the caller's line.
"""

import libcst as cst

from knowledge.repair.applies import TWO_DEVICES
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit import keeps
from knowledge.repair.toolkit.edits import Edits, method, operand
from knowledge.repair.toolkit.live import Operand, called_module, tensors

ERRORS = TWO_DEVICES
KEEPS = (keeps.computed(), keeps.tensors, keeps.layers)


def edits(failure: Failure) -> Rewrites:
    """All operands that lie on the CPU, where the rest lies on one GPU: as far out as they go."""
    stayed: list[Operand] = []
    changes: Edits = {}
    for place in failure.places:
        given, there = tensors(failure, place), _there(failure, place)
        stayed = stayed or [o for o in given if there and o.value.device.type == "cpu"]
        here = [o for o in given if any(o.value is one.value for one in stayed)]
        if there and here and len(here) == len(stayed):
            device = cst.Arg(cst.parse_expression(there))
            changes = {o.node: method(o.node, "to", device) for o in here}
    names = [failure.text(node) for node in changes]
    plain = all(isinstance(n, cst.Name | cst.Attribute | cst.Subscript) for n in changes)
    if changes and plain and not any(name.startswith("self.") for name in names):
        told = " and ".join(f"`{name}`" for name in names)
        meaning = f"{told} {'belong' if len(names) > 1 else 'belongs'} on the GPU of the rest"
        title = f"{told} moved to the GPU of the rest"
        yield failure.edit(changes, title, meaning, cost=COST.LIKELY, as_one=True)


def _there(failure: Failure, place: Place) -> str:
    """How the one GPU is written on which the others lie, or the weights of what is called."""
    module, given = called_module(failure, place), tensors(failure, place)
    gpus = {p.device for p in module.parameters()} if module is not None else set()
    gpus |= {o.value.device for o in given if o.value.device.type != "cpu"}
    if len(gpus) != 1 or next(iter(gpus)).type == "cpu":
        return ""
    of_weights = module is not None and next(module.parameters(), None) is not None
    if of_weights and isinstance(place.node, cst.Call):
        return f"next({failure.text(place.node.func)}.parameters()).device"
    partner = next(o.node for o in given if o.value.device in gpus)
    while isinstance(partner, cst.Subscript):
        partner = partner.value
    text = failure.module.code_for_node(operand(partner))
    return f"{text.removesuffix('.data')}.device"
