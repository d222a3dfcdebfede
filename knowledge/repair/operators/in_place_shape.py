"""Write into a tensor what has its numbers and more dimensions: `x.copy_(y.flatten())`.

A map that was pooled to one place, [1, n, 1, 1], has the numbers of a row of n. What has another
number of them, or in another order, is none of this.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.shapes import still_computed

ERRORS = ("inplace_result_grows", "expand_fewer_dimensions", "expand_sizes", "broadcast_sizes")


def edits(failure: Failure) -> Rewrites:
    """The written value without the dimensions of size 1 that its place has not."""
    import torch

    for place, written in _written(failure):
        target, value = failure.value(place), failure.value(written)
        if not isinstance(target, torch.Tensor) or not isinstance(value, torch.Tensor):
            continue
        plain = [size for size in value.shape if size != 1]
        if value.dim() <= target.dim() or plain != [size for size in target.shape if size != 1]:
            continue
        if target.dim() == 1:
            new = method(written, "flatten")
        elif target.dim() == len(plain):
            new = method(written, "squeeze")
        else:
            continue
        told = f"`{failure.text(written)}` has the shape of `{failure.text(place)}`"
        yield failure.edit({written: new}, f"{told}, without dimensions of size 1", told)


def _written(failure: Failure) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """What is written into, and the value that is written: of `x.copy_(y)` and `x[i] = y`."""
    node = failure.node
    small = failure.small_statement(node) if node is not None else None
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and len(node.args) == 1:
        if node.func.attr.value == "copy_":
            yield node.func.value, node.args[0].value
        return
    into = small.targets[0].target if isinstance(small, cst.Assign) else None
    if isinstance(small, cst.Assign) and isinstance(node, cst.Subscript) and node is into:
        yield node, small.value


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The value is still written there."""
    return [still_computed(before.error, proposal.code, allowed=("flatten", "squeeze"))]
