"""Hide from a model what it is not to see: masked places, the target in its window."""

import re

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import calls

_INFINITY = 'float("-inf")'


def _hidden(program: Program, finding: Finding) -> Rewrites:
    """Minus infinity where a mask is to hide a score."""
    for node in calls(program, r"(^|\.)masked_fill_?$"):
        value = node.args[-1].value if len(node.args) > 1 else None
        if value is None or re.search(r"inf|1e\d|min", program.text(value)):
            continue
        for low in (_INFINITY, "-1e9"):
            told = "a masked place gets no weight"
            yield program.edit({value: cst.parse_expression(low)}, told, at=node)
    for product in program.all(cst.BinaryOperation):
        if not isinstance(product.operator, cst.Multiply):
            continue
        mask = product.right if "mask" in program.text(product.right).lower() else product.left
        if "mask" not in program.text(mask).lower():
            continue
        scores = product.left if mask is product.right else product.right
        ones = f"(1 - {program.text(mask)}) * -1e9"
        total = cst.BinaryOperation(scores, cst.Add(), cst.parse_expression(ones))
        yield program.edit({product: total}, "a masked place gets no weight")


def _next_value(program: Program, finding: Finding) -> Rewrites:
    """`series[i + w]`, where `series[i + w - 1]` is the last one of the window."""
    for node in sorted(program.all(cst.Subscript), key=program.line):
        index = node.slice[0].slice
        if len(node.slice) != 1 or not isinstance(index, cst.Index):
            continue
        value = index.value
        if (
            isinstance(value, cst.BinaryOperation)
            and isinstance(value.operator, cst.Subtract)
            and program.text(value.right) == "1"
            and isinstance(value.left, cst.BinaryOperation)
        ):
            told = "the value behind the window"
            meant = "the value that follows the window is to be predicted"
            yield program.edit({value: value.left}, told, meant, at=node)


EDITS = {"mask_without_effect": _hidden, "target_in_inputs": _next_value}
