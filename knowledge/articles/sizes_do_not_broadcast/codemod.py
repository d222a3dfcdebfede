"""Lay a smaller tensor along the dimension that it belongs to, where only one has its size."""

from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.alignment import Alignment, alignments, fits, turned
from knowledge.repair.toolkit.edits import method, out_of_place
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.shapes import Shape, live_shape, same_numbers
from knowledge.repair.toolkit.sites import integer, seen_error

_LEARNED = ("weight", "grad", "data")
_SIZES, _GROWS = "broadcast_sizes", "inplace_result_grows"  # error families
ERRORS, LAYERS = (_SIZES, _GROWS), ""
KEEPS = (computed(allowed=("view",), may_go=("unsqueeze", "T")),)
_METHODS = ("mul", "add", "sub", "div", "masked_fill", "mul_", "add_", "sub_", "div_",
            "masked_fill_", "eq", "ne", "lt", "gt", "le", "ge", "pow")  # fmt: skip
_AT = cst.MatrixMultiply(cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))
_OPERATORS = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign, cst.DivideAssign)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """1s between the dimensions of the smaller one; its transpose; or `@` for `*`."""
    pair = _pair(program, program.node)
    if pair is None:
        statement = program.statement
        sums = program.inside(statement, cst.AugAssign) if statement is not None else []
        if len(sums) == 1 and program.node is None:
            yield from _of_a_sum(program, sums[0], is_a(program.error, _GROWS))
        return
    yield from _of_two(program, *pair)


def _pair(
    program: Failed, node: cst.BaseExpression | None
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    if isinstance(node, cst.BinaryOperation):
        product = isinstance(node.operator, cst.MatrixMultiply)
        return None if product else (node.left, node.right)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        return node.left, node.comparisons[0].comparator
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    if any(a.star for a in node.args) or node.func.attr.value not in _METHODS:
        return None
    plain = [a.value for a in node.args if a.keyword is None]
    if program.text(node.func.value) == "torch":
        return (plain[0], plain[1]) if len(plain) >= 2 else None
    return (node.func.value, plain[0]) if plain else None


def _of_two(program: Failed, left: cst.BaseExpression, right: cst.BaseExpression) -> Rewrites:
    a, b = live_shape(program, program.result, left), live_shape(program, program.result, right)
    if a is None or b is None:
        return
    product = _matrix_product(program, left, a, b)
    found = list(_ways(program, left, right, a, b))
    meanings = len(found) + len(product)
    for value, way in found:
        text = program.text(value)
        intent = f"`{text}` is {list(way.shape)} there" if meanings > 1 else ""
        yield program.edit(way.edits, f"`{text}` {way.told}", intent, at=left)
    for operation in product:
        told = "`@` is the product of two matrices, `*` that of single numbers"
        intent = f"the matrix product of {list(a)} and {list(b)}" if meanings > 1 else ""
        yield program.edit({operation: operation.with_changes(operator=_AT)}, told, intent, at=left)


def _ways(
    program: Failed, left: cst.BaseExpression, right: cst.BaseExpression, a: Shape, b: Shape
) -> Iterator[tuple[cst.BaseExpression, Alignment]]:
    """The smaller side is laid along the larger one; of two equals, the right one is turned."""
    if len(a) == len(b) == 2 and a == b[::-1]:
        # What is learned keeps its shape; what is laid over it is turned.
        is_learned = isinstance(right, cst.Attribute) and right.attr.value in _LEARNED
        value, shape = (left, b) if is_learned else (right, a)
        yield value, Alignment({value: turned(value)}, shape, f"is turned into {list(shape)}")
        return
    is_smaller = (len(a), -a.count(1)) < (len(b), -b.count(1))
    small, target = (left, b) if is_smaller else (right, a)
    for way in alignments(program, program.result, small, target):
        yield small, way


def _matrix_product(
    program: Failed, left: cst.BaseExpression, a: Shape, b: Shape
) -> list[cst.BinaryOperation]:
    """The operation, if it is a `*` of two shapes whose matrix product there is."""
    operation = program.parent(left)
    if not isinstance(operation, cst.BinaryOperation):
        return []
    if not isinstance(operation.operator, cst.Multiply) or min(len(a), len(b)) < 2:
        return []
    return [operation] if a[-1] == b[-2] > 1 and a[:-2] == b[:-2] else []


def _of_a_sum(program: Failed, node: cst.AugAssign, grows: bool) -> Rewrites:
    """`x += y`: written into x, the result has to have x's shape."""
    a, b = (
        live_shape(program, program.result, node.target),
        live_shape(program, program.result, node.value),
    )
    if a is None or b is None:
        return
    ways = list(alignments(program, program.result, node.value, a)) if len(b) <= len(a) else []
    for way in ways:
        intent = f"it is {list(way.shape)} there" if len(ways) > 1 else ""
        yield program.edit(way.edits, f"`{program.text(node.value)}` {way.told}", intent, at=node)
    if len(ways) == 1 and len(b) == 1 and len(ways[0].shape) > 1 and in_loop(program, node):
        target = program.text(node.target)
        size = cst.parse_expression(f"[1] * ({target}.dim() - 1)")
        new = method(node.value, "view", cst.Arg(integer(-1)), cst.Arg(size, star="*"))
        told = f"`{program.text(node.value)}` belongs to dimension 0 of `{target}`, however many "
        yield program.edit({node.value: new}, f"{told}dimensions that has", at=node)
    if grows and not ways and isinstance(node.target, cst.Name) and fits(a, _both(a, b)):
        if not isinstance(node.operator, _OPERATORS):
            return
        told = f"the result is {list(_both(a, b))} and cannot be written into {list(a)}; it is a "
        assigned = cst.Assign([cst.AssignTarget(node.target)], out_of_place(node))
        yield program.edit({node: assigned}, f"{told}new `{node.target.value}`")


def _both(a: Shape, b: Shape) -> Shape:
    """The shape that two broadcast to; a dimension that does not fit is 0."""
    n = max(len(a), len(b))
    x, y = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    return tuple(p if q == 1 else q if p in (1, q) else 0 for p, q in zip(x, y, strict=True))


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same operation on the same tensors."""
    grown = seen_error(before, _GROWS) is not None
    return [] if grown else [same_numbers(before, after, proposal.code)]
