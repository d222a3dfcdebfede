"""Make the tensor of floats where it is made, so that it can ask for a gradient.

Class labels and indices stay integers: they have no gradient in any dtype.
"""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.dataflow import cast_of, of_dtype
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import root
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.sites import argument, assignment, without_argument

ERRORS = ("integers_require_grad",)
KEEPS = (tensors, leaves)

_CODES = re.compile(r"ind(ex|ices)|\bidx|label|class|categor|target|token|_ids?\b|\bids?\b", re.I)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """dtype=torch.float32 in the call that makes it."""
    if program.statement is None or len(program.statement.body) != 1:
        return
    small = program.statement.body[0]
    names = (
        " ".join(program.text(t.target) for t in small.targets)
        if isinstance(small, cst.Assign)
        else program.text(small)
    )
    if _CODES.search(names):
        yield from _of_codes(program, small, program.node)
        return
    value = _made(program, program.node, small)
    if value is None:
        return
    new = of_dtype(program, value, "float32")
    if isinstance(value, cst.Call) and program.text(value.func) == "torch.from_numpy":
        new = cast_of(program, value, "float32")
    yield program.edit({value: new}, "made of floats, which can have a gradient")


def _of_codes(program: Failed, small: cst.BaseSmallStatement, node: cst.CSTNode | None) -> Rewrites:
    """Numbers that an embedding looks up, without the request: the embedding's rows learn."""
    if not isinstance(small, cst.Assign) or not isinstance(node, cst.Call):
        return
    name = program.text(small.targets[0].target)
    asked = argument(node, 99, "requires_grad")
    code = program.module.code
    if asked is None or asked not in node.args or re.search(rf"\b{name}\.grad\b", code):
        return
    if not re.search(r"\bEmbedding(Bag)?\(", code):
        return
    told = f"`{name}` only says which rows are looked up; the rows learn, not their numbers"
    yield program.edit({node: without_argument(node, asked)}, told)


def _made(
    program: Failed, node: cst.CSTNode | None, small: cst.BaseSmallStatement
) -> cst.BaseExpression | None:
    """The expression that makes the tensor."""
    if isinstance(small, cst.Assign):
        target = small.targets[0].target
        if isinstance(target, cst.Attribute) and target.attr.value == "requires_grad":
            return _origin(program, target.value, small)
    if not isinstance(node, cst.Call):
        return None
    function = node.func
    if isinstance(function, cst.Attribute) and function.attr.value == "requires_grad_":
        found = _origin(program, function.value, small)
        return found if found is not None else function.value
    if program.text(function).rpartition(".")[2] in {"Parameter", "Variable"} and node.args:
        inner = node.args[0].value
        return _origin(program, inner, small) or inner
    return node


def _origin(
    program: Failed, owner: cst.BaseExpression, small: cst.BaseSmallStatement
) -> cst.BaseExpression | None:
    name = root(owner)
    if not isinstance(name, cst.Name) or name is not owner:
        return None
    made = assignment(program, name.value, small)
    return made.value if made is not None else None
