"""matmul in place of mm, mv or dot, where the live shapes have a product."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from executor.errors import read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.computed import reaches_leaves, same_tensors
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import Shape, shape_of, still_computed
from knowledge.repair.toolkit.sites import failing, seen_error

_NAMES = {"mm", "mv", "dot"}


def applies(result: JobResult) -> bool:
    """A product of a fixed number of dimensions got another number."""
    return _error(result) is not None


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = seen_error(result, "not_a_matrix", "dot_dimensions")
    matrix = read(error, "not_a_matrix") if error is not None else None
    other = matrix is not None and matrix["which"] not in ("self", "mat2")
    return None if other else error


def rewrite(program: Failed, result: JobResult) -> Iterable[Rewrite]:
    """`torch.matmul(a, x)`, `a.matmul(x)`."""
    error = _error(result)
    node = failing(program, error)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    name = node.func.attr.value
    is_function = program.text(node.func.value) == "torch"
    operands = [a.value for a in node.args if a.keyword is None and not a.star]
    if not is_function:
        operands = [node.func.value, *operands]
    if name not in _NAMES or len(operands) != 2 or len(node.args) != 1 + is_function:
        return
    shapes = [shape_of(result, o) for o in operands]
    if any(s is None for s in shapes):
        # A part of a product is no name; whether it fits, the run will tell.
        shapes = []
    if shapes and not _fit(shapes[0] or (), shapes[1] or ()):
        return
    told = f"`matmul` multiplies vectors and stacks too; `{name}` does not"
    yield program.edit({node.func: node.func.with_changes(attr=cst.Name("matmul"))}, told, at=node)


def _fit(a: Shape, b: Shape) -> bool:
    """Whether matmul has a product of these, without guessing which side a vector is."""
    if not a or not b:
        return False
    return a[-1] == (b[0] if len(b) == 1 else b[-2])


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same operands are multiplied, and nothing else changed."""
    return [
        still_computed(_error(before), proposal.code, may_go=tuple(_NAMES)),
        same_tensors(before, after, proposal.code),
        reaches_leaves(after, wanted=False),
    ]
