"""Copy the flipped array: where it is flipped, else where it becomes a tensor."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, leaves, tensors, written
from knowledge.repair.toolkit.sites import assignment, names_in, scope_of

ERRORS = ("negative_strides",)
_TOLD = "the flip is still there", "the flip was undone"
KEEPS = (computed(), tensors, leaves, written("flip", *_TOLD, lacks=r"\[::-1\]\s*\[::-1\]"))
_FLIPS = re.compile(r"\.(flip|fliplr|flipud|rot90)\(|::\s*-\d")
_MAKES = re.compile(r"\.(tensor|as_tensor|from_numpy|Tensor|FloatTensor)$")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`.copy()` behind the flip."""
    node = program.node
    if not isinstance(node, cst.Call) or not node.args:
        return
    if not _MAKES.search(program.text(node.func)):
        return
    value = node.args[0].value
    where: cst.BaseExpression = value
    if isinstance(value, cst.Name):
        made = assignment(program, value.value, node)
        flips = [a for a in program.all(cst.Assign) if _flips(program, a, value.value, node)]
        if made is not None and flips == [made]:  # of several, each leaves it flipped
            where = made.value
    if isinstance(where, (cst.List, cst.ListComp)):
        return  # a list of arrays: which of them is flipped is not said
    told = "a copy has its values in order, from front to back"
    yield program.edit({where: method(where, "copy")}, told)


def _flips(program: Program, made: cst.Assign, name: str, node: cst.CSTNode) -> bool:
    """Whether an assignment gives a variable of this function an array that it flips."""
    here = scope_of(program, made) is scope_of(program, node)
    of = any(names_in(t.target) == {name} for t in made.targets)
    return here and of and _FLIPS.search(program.text(made.value)) is not None
