"""Compute in an optimizer's closure what its loss is computed from, each time that it is called."""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import value_given
from knowledge.repair.toolkit.statements import block, moved

ERRORS = ("freed_graph",)
# With a graph that is kept the same values come again, whatever the weights are.
_TOLD = "each call computes it anew", "an old graph is kept"
KEEPS = (written("computed anew", *_TOLD, lacks="retain_graph"),)


def edits(failure: Failure) -> Rewrites:
    """`pred = model(x)` moves from above `def closure():` to its first line."""
    closure = failure.up(failure.node, cst.FunctionDef) if failure.node is not None else None
    if closure is None or not isinstance(closure.body, cst.IndentedBlock):
        return
    first = next(
        (s.body[0] for s in closure.body.body if isinstance(s, cst.SimpleStatementLine)), None
    )
    read = {n.value for n in failure.inside(closure.body, cst.Name)}
    for made in block(failure, closure):
        if not isinstance(made, cst.Assign) or failure.line(made) > failure.line(closure):
            continue
        target = made.targets[0].target
        if not isinstance(target, cst.Name) or target.value not in read or first is None:
            continue
        value = failure.value(target)
        if not isinstance(value, torch.Tensor) or value.grad_fn is None:
            continue
        if isinstance(value_given(made, target.value), cst.Call):
            new, text = moved(failure, made, first), failure.text(made)
            if new is not None:
                told = f"`{text}` is computed in each call of the closure"
                meant = f"`{target.value}` is to follow the weights"
                yield failure.edit(new, told, meant, at=made, as_one=True)
            return
