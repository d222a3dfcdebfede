"""Turn indices that have one row for each entry: sparse_coo_tensor wants one column for each."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.sites import argument, seen_as, variables

ERRORS = ("sparse_size",)
KEEPS = (computed(may_go=("t", "T")),)
_CALLS = re.compile(r"(^|\.)(sparse_coo_tensor|sparse\.FloatTensor|FloatTensor)$")


def applies(result: JobResult) -> bool:
    """The rows of the indices are not the dimensions of the size, and their columns are."""
    match = seen_as(result, *ERRORS)
    if match is None:
        return False
    dims = match.number("size") - match.number("dense")
    facts = (*(o.value for o in result.operands), *variables(result).values())
    shapes = [v.shape or () for v in facts]
    return any(len(shape) == 2 and shape[1] == dims != shape[0] for shape in shapes)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`indices.t()`, where turned they fit the size and the values exactly."""
    node, match = program.node, program.said
    if not isinstance(node, cst.Call) or not _CALLS.search(program.text(node.func)):
        return
    indices, values = argument(node, 0, "indices"), argument(node, 1, "values")
    if indices is None or values is None:
        return
    shape, entries = _shape(program, result, indices.value), _shape(program, result, values.value)
    dims = match.number("size") - match.number("dense")
    if shape is None or len(shape) != 2 or not entries or shape[::-1] != (dims, entries[0]):
        return
    turned = _unturned(indices.value) or method(indices.value, "t")
    told = f"each row of the indices {list(shape)} is one entry, and a column is wanted for each"
    yield program.edit({indices.value: turned}, told, at=node)


def _unturned(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """What was turned, where the indices were right before."""
    if isinstance(value, cst.Attribute) and value.attr.value == "T":
        return value.value
    function = value.func if isinstance(value, cst.Call) and not value.args else None
    turned = isinstance(function, cst.Attribute) and function.attr.value == "t"
    return function.value if isinstance(function, cst.Attribute) and turned else None


def _shape(program: Failed, result: JobResult, value: cst.BaseExpression) -> tuple[int, ...] | None:
    text = program.text(value)
    for operand in result.operands:
        if operand.name == text and operand.value.shape is not None:
            return operand.value.shape
    facts = program.seen.get(text)
    return facts.shape if facts is not None else None
