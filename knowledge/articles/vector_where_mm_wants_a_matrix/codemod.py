"""matmul in place of mm, mv or dot, where the live shapes have a product."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, leaves, tensors
from knowledge.repair.toolkit.shapes import Shape, shape_of

_NAMES = ("mm", "mv", "dot")
ERRORS, SAYS = ("not_a_matrix", "dot_dimensions"), {"which": "self|mat2|"}
KEEPS = (computed(may_go=_NAMES), tensors, leaves)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`torch.matmul(a, x)`, `a.matmul(x)`."""
    node = program.node
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
