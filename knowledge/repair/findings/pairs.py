"""Bring a prediction and its target to one shape, where they met as a table of all pairs."""

from collections.abc import Iterator

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, method
from knowledge.repair.toolkit.sites import integer
from knowledge.repair.toolkit.statements import last_name


def _alike_in_shape(program: Program, finding: Finding) -> Rewrites:
    """A dimension that was added left out, else one dropped, of each operand on the line."""
    statement = program.statement_on(finding.line)
    if statement is None:
        return
    told = "prediction and target have one shape, so that each is compared with its own"
    pairs = [(n, p) for n in program.expressions(statement) for p in _pair(program, n)]
    for _, operands in pairs:
        for value in operands:
            if isinstance(value, cst.Call) and last_name(program, value.func) == "unsqueeze":
                assert isinstance(value.func, cst.Attribute)
                yield program.edit({value: value.func.value}, told)
    for node, operands in pairs:
        for at, value in enumerate(operands):
            if not isinstance(value, (cst.Integer, cst.Float)):
                alike = [value, *_alike(program, node, at)]
                nodes: Edits = {v: method(v, "squeeze", cst.Arg(integer(1))) for v in alike}
                yield program.edit(nodes, told, as_one=len(nodes) > 1)


def _alike(program: Program, node: cst.BaseExpression, at: int) -> Iterator[cst.BaseExpression]:
    """What other calls of the same loss are given there by the same model, as in a validation."""

    def made_by(value: cst.BaseExpression) -> str:
        return program.text(value.func if isinstance(value, cst.Call) else value)

    if not isinstance(node, cst.Call):
        return
    for call in program.all(cst.Call):
        if call is node or len(call.args) != 2 or program.text(call.func) != made_by(node):
            continue
        if made_by(call.args[at].value) == made_by(node.args[at].value):
            yield call.args[at].value


def _pair(program: Program, node: cst.BaseExpression) -> Iterator[tuple[cst.BaseExpression, ...]]:
    """The two values that an expression compares, if it does."""
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        if isinstance(node.comparisons[0].operator, cst.Equal):
            yield node.left, node.comparisons[0].comparator
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Subtract):
        yield node.left, node.right
    elif isinstance(node, cst.Call) and last_name(program, node.func) in ("eq", "sub"):
        if isinstance(node.func, cst.Attribute) and len(node.args) == 1:
            yield node.func.value, node.args[0].value
    elif isinstance(node, cst.Call) and len(node.args) == 2 and not any(a.star for a in node.args):
        yield node.args[0].value, node.args[1].value


EDITS = {"comparison_broadcasts": _alike_in_shape, "loss_broadcasts": _alike_in_shape}
