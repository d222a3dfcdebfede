"""Give `backward` and `grad` a gradient argument of the shape of what they start from, or none.

A single number needs none where the argument weighs everything alike. Weights of its elements, for
a tensor that was reduced to one number, leave open what is meant: then nothing is offered.
"""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import call, method
from knowledge.repair.toolkit.keeps import backwards
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import argument, without_argument

ERRORS, SAYS = ("grad_output_shape",), {"number": "0"}
KEEPS = (backwards,)


def edits(failure: Failure) -> Rewrites:
    """Without it, or in the result's shape."""
    node = failure.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if node.func.attr.value == "backward":
        yield from _fitting(failure, node, node.func.value, argument(node, 0, "gradient"))
    elif node.func.attr.value == "grad":
        start = argument(node, 0, "outputs")
        if start is not None:
            yield from _fitting(failure, node, start.value, argument(node, 2, "grad_outputs"))


def _fitting(
    failure: Failure, node: cst.Call, start: cst.BaseExpression, given: cst.Arg | None
) -> Rewrites:
    out, weights = failure.value(start), failure.value(given.value) if given is not None else None
    if given is None or not isinstance(out, torch.Tensor) or not isinstance(weights, torch.Tensor):
        return
    name = failure.text(start)
    alike = bool((weights == 1).all())
    if alike and not out.dim():
        # A positional argument behind it would move up.
        behind = node.args[node.args.index(given) + 1 :]
        if given.keyword is not None or all(a.keyword is not None for a in behind):
            what = f"`{name}` is one number, and needs no gradient argument"
            yield failure.edit({node: without_argument(node, given)}, what)
    elif alike:
        ones = call(failure.name_of("torch", "ones_like"), cst.Arg(start))
        what = f"every element of `{name}` counts once"
        yield failure.edit({given.value: ones}, what, at=node)
    elif weights.numel() == out.numel():
        same = method(given.value, "view_as", cst.Arg(start))
        what = f"`{failure.text(given.value)}` weighs the elements of `{name}`, in its shape"
        yield failure.edit({given.value: same}, what, at=node)
