"""The values alone, or a copy that belongs to the graph: both are run."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, leaves, tensors, written

ERRORS = ("deepcopy_of_result",)
_COPIED = written("copy", "it is a copy", "it is no copy", has=r"\.clone\(")
KEEPS = (computed(may_go=("copy", "deepcopy"), allowed=("detach",)), tensors, leaves, _COPIED)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`x.detach().clone()` and `x.clone()`, where x itself is the tensor."""
    node = program.node
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return
    if program.text(node.func).rpartition(".")[2] != "deepcopy":
        return
    value = node.args[0].value
    name = program.text(value)
    facts = program.seen.get(name)
    if facts is None or facts.grad_fn is None:
        return
    said = r"\b(values?|snapshot|keep|independent)\b"
    told = f"the values of `{name}`, without the graph that made them"
    values, meant = method(method(value, "detach"), "clone"), "the copy is for keeping its values"
    yield program.edit({node: values}, told, meant, said=said)
    said = r"\b(gradients? (should )?flow|differentiable)\b"
    told, meant = (
        f"a copy of `{name}` that gradients flow through",
        "the copy goes on into the loss",
    )
    yield program.edit({node: method(value, "clone")}, told, meant, said=said)
