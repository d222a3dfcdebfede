"""`.detach()` where a value leaves PyTorch for good; nothing where it comes back into the loss."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import gradients, tensors
from knowledge.repair.toolkit.sites import scope_of

ERRORS = ("numpy_of_graph",)
KEEPS = (gradients, tensors)
_COMES_BACK = re.compile(r"from_numpy\(|torch\.(as_)?tensor\(|torch\.Tensor\(")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """detach() before numpy(), or around what NumPy or a plot is given."""
    node = program.node
    if not isinstance(node, cst.Call) or program.error.line is None:
        return
    rest = "\n".join(program.module.code.splitlines()[program.error.line - 1 :])
    if _COMES_BACK.search(rest) and re.search(r"\.(backward|grad)\(", rest):
        return  # the array may come back into a loss: then detach() would cut it
    around = scope_of(program, node)
    cuts = isinstance(around, cst.FunctionDef) and _comes_back(program, around)
    if program.text(node.func).endswith(".numpy") and isinstance(node.func, cst.Attribute):
        yield _detached(program, node.func.value, cuts=cuts)
        return
    for given in node.args:
        facts = program.seen.get(program.text(given.value))
        if facts is not None and facts.requires_grad:
            yield _detached(program, given.value, cuts=cuts)
            return


def _comes_back(program: Failed, function: cst.FunctionDef) -> bool:
    """Whether a tensor is made again: in the function, or of what a call of it gives."""
    of_a_call = rf"(?:{_COMES_BACK.pattern})[^\n]*\b{function.name.value}\("
    within = _COMES_BACK.search(program.text(function))
    return bool(within or re.search(of_a_call, program.module.code))


def _detached(program: Failed, value: cst.BaseExpression, *, cuts: bool) -> Rewrite:
    """Without its graph; where its function makes a tensor again, nobody can say that none is
    wanted there.
    """
    return program.edit(
        {value: method(value, "detach")},
        f"an array has no gradient, so `{program.text(value)}` leaves the graph first",
        "no gradient goes through what the function returns" if cuts else "",
        supposes=cuts,
    )
