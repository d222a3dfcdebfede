"""Write the order of `permute` for a batch, where it was written for one sample, or the other way.

`images.permute(2, 0, 1)` of a batch is `images.permute(0, 3, 1, 2)`; a single picture that is
turned as a batch is a batch of one.
"""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.lazily import torch

ERRORS = ("permute_dimensions",)

_PICTURE = 3  # dimensions
_CHANNELS_FIRST = [2, 0, 1]


def edits(failure: Failure) -> Rewrites:
    """The batch stays in front; or the sample becomes a batch."""
    place = next(iter(failure.places), None)
    call = place.node if place is not None else None
    if place is None or not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    of_torch = failure.text(call.func.value) == "torch"
    owner = call.args[0].value if of_torch and call.args else call.func.value
    given = [a.value for a in (call.args[1:] if of_torch else call.args)]
    if len(given) == 1 and isinstance(given[0], (cst.Tuple, cst.List)):
        given = [e.value for e in given[0].elements]
    if not all(isinstance(g, cst.Integer) for g in given):
        return
    order = [int(failure.text(g)) for g in given]
    value, name = failure.value(owner, place.frame), failure.text(owner)
    if not isinstance(value, torch.Tensor) or sorted(order) != list(range(len(order))):
        return
    if value.dim() == len(order) + 1:
        numbers = ", ".join(map(str, (0, *(d + 1 for d in order))))
        new: cst.BaseExpression = cst.parse_expression(f"{name}.permute({numbers})")
        told = f"the batch of `{name}` {list(value.shape)} stays in front"
    elif value.dim() == _PICTURE - 1 and order == _CHANNELS_FIRST:
        new = method(owner, "unsqueeze", cst.Arg(cst.Integer("0")))
        told = f"`{name}` {list(value.shape)} has no channels to move; it gets one, in front"
    elif value.dim() == len(order) - 1 == _PICTURE and order[0] == 0:
        zero = cst.Arg(cst.Integer("0"))
        new, told = method(owner, "unsqueeze", zero), f"`{name}` is one sample: a batch of one"
        yield failure.edit({owner: new}, told, at=call)
        return
    else:
        return
    yield failure.edit({call: new}, told)
