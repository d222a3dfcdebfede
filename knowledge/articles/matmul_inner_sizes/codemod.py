"""Turn the one matrix of a product whose rows and columns are the wrong way round."""

import re
from typing import NamedTuple

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, method, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.shapes import Shape, shape_of
from knowledge.repair.toolkit.sites import assignment, integer

_MATRICES, _BATCHES, _VECTOR = "matmul_shapes", "bmm_sizes", "matvec_sizes"  # error families
ERRORS, LAYERS = (_MATRICES, _BATCHES, _VECTOR), ""
_SWAPPED = (r"(.*) @ (.*)", r"\2 @ \1")
KEEPS = (computed(may_go=("T", "mT", "t", "transpose"), instead=(_SWAPPED,)), numbers)
_TURNS = {"t": [set[str]()], "transpose": [{"0", "1"}, {"-2", "-1"}, {"1", "2"}]}
_PRODUCTS = re.compile(r"(^|\.)(matmul|mm|bmm|mv)$")


class _Product(NamedTuple):
    left: cst.BaseExpression
    right: cst.BaseExpression


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Transpose the right side, or the left, where that makes the inner sizes equal."""
    product = _product(program, program.node)
    if program.node is None or product is None or _is_laid_out(program, program.node):
        return
    left, right = _shapes(program, product)
    if left is None or left[-1] == 1:
        yield from _in_the_other_order(program, product, left, right)
        return
    fits_right = right is None or (len(right) > 1 and right[-1] == left[-1])
    is_matrix = len(left) == 2 and min(left) > 0
    fits_left = is_matrix and right is not None and left[-2] == right[max(0, len(right) - 2)]
    fits_left = fits_left and left[-2] > 1 and not _must_stay(program, product, right)
    if not fits_right and not fits_left:
        yield from _in_the_other_order(program, product, left, right)
    if fits_right:
        told = f"the right side is turned, so that both are {left[-1]} long where they meet"
        intent = "each row of the left side with each row of the right one"
        intent = f"{intent}: [{left[-2]}, {right[-2]}]" if fits_left and right is not None else ""
        new = _turned(program, product.right, right)
        yield program.edit({product.right: new}, told, intent, at=product.left)
    if fits_left and right is not None:
        told = f"the left side is turned, so that both are {left[-2]} long where they meet"
        intent = "each column of the left side with each column of the right one"
        intent = f"{intent}: [{left[-1]}, {right[-1]}]" if fits_right else ""
        yield program.edit({product.left: _turned(program, product.left, left)}, told, intent)


def _is_laid_out(program: Failed, node: cst.CSTNode) -> bool:
    """Whether a product goes right into `reshape(a, b, …)`: turned, it is laid out wrongly."""
    method = program.parent(node)
    lays = isinstance(method, cst.Attribute) and method.attr.value in ("reshape", "view")
    call = program.parent(method) if method is not None and lays else None
    return isinstance(call, cst.Call) and len(call.args) > 2


def _in_the_other_order(
    program: Failed, product: _Product, left: Shape | None, right: Shape | None
) -> Rewrites:
    """`A.T @ residual` for `residual @ A.T`: a matrix times a vector, and a vector it is."""
    if left is None or right is None:
        return
    is_at = isinstance(program.parent(product.left), cst.BinaryOperation)
    vector = (left[0] == 1 or len(left) == 1) and len(right) == 2
    if not is_at or not vector or right[1] != left[-1] or right[0] == right[1]:
        return
    swapped: Edits = {product.left: operand(product.right)}
    swapped[product.right] = operand(product.left)
    told = f"the matrix {list(right)} comes first, and the {left[-1]} numbers of the vector meet"
    yield program.edit(swapped, f"{told} its columns")


def _product(program: Failed, node: cst.BaseExpression | None) -> _Product | None:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply):
        return _Product(node.left, node.right)
    if not isinstance(node, cst.Call) or any(a.star or a.keyword for a in node.args):
        return None
    if not _PRODUCTS.search(program.text(node.func)):
        return None
    given = [a.value for a in node.args]
    if len(given) == 1 and isinstance(node.func, cst.Attribute):
        given = [node.func.value, *given]
    return _Product(*given) if len(given) == 2 else None


def _shapes(program: Failed, product: _Product) -> tuple[Shape | None, Shape | None]:
    """Both shapes, from the message and from the variables; None for what neither says."""
    seen, result = program.said, program.result
    if seen.id == _MATRICES:
        a, b, c, d = seen.numbers("rows", "inner_left", "inner_right", "columns")
        return (a, b), (c, d)
    if seen.id == _VECTOR:
        return seen.sizes("matrix"), seen.sizes("vector")
    batch, inner, other = seen.numbers("batch", "inner", "batch_right")
    if batch != other:
        return None, None
    return shape_of(result, product.left) or (batch, -1, inner), shape_of(result, product.right)


def _must_stay(program: Failed, product: _Product, right: Shape | None) -> bool:
    """The left side is no matter of taste: samples meet weights, or it was turned before."""
    if (right is not None and len(right) == 1) or _untransposed(program, product.left) is not None:
        return False  # a vector cannot be turned; and what was turned too much is turned back
    for side in (product.left, product.right):
        facts = program.seen.get(program.text(side))
        if facts is None or facts.requires_grad:
            return True
        made = assignment(program, program.text(side), side)
        if made is not None and _untransposed(program, made.value) is not None:
            return True
    return False


def _untransposed(program: Failed, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """What is transposed in `x.T`, `x.t()`, `x.transpose(-2, -1)`; None if nothing is."""
    if isinstance(value, cst.Attribute) and value.attr.value in ("T", "mT"):
        return value.value
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        arguments = {program.text(a.value) for a in value.args}
        if arguments in _TURNS.get(value.func.attr.value, ()):
            return value.func.value
    return None


def _turned(program: Failed, value: cst.BaseExpression, shape: Shape | None) -> cst.BaseExpression:
    if (bare := _untransposed(program, value)) is not None:
        return bare
    if shape is not None and len(shape) == 2:
        return method(value, "T").func
    return method(value, "transpose", cst.Arg(integer(-2)), cst.Arg(integer(-1)))
