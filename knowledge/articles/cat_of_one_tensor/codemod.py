"""Join the entries of the one tensor, or take it as it is: the code does not say which."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Program, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, leaves, tensors
from knowledge.repair.toolkit.shapes import failing_lines
from knowledge.repair.toolkit.sites import argument, scope_of, seen_error

ERRORS, SAYS = ("join_of_one_tensor",), {"function": "cat"}
KEEPS = (computed(may_go=("torch", "cat", "dim"), allowed=("[",)), tensors, leaves)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`torch.cat(tuple(x))` and `x`; a list where a second tensor was the next argument."""
    node = program.node
    given = argument(node, 0, "tensors") if isinstance(node, cst.Call) else None
    if not isinstance(node, cst.Call) or given is None:
        return
    others = [a for a in node.args[1:] if a.keyword is None]
    tensors = [
        f
        for a in others
        if (f := program.seen.get(program.text(a.value))) and f.dtype and f.shape is not None
    ]
    if tensors and len(tensors) == len(others):
        parts = [cst.Element(a.value) for a in (given, *others)]
        rest = [a for a in node.args if a.keyword is not None and a is not given]
        first = given.with_changes(value=cst.List(parts), comma=cst.MaybeSentinel.DEFAULT)
        told = "the tensors in a list, which is what `cat` joins"
        yield program.edit({node: node.with_changes(args=[first, *rest])}, told)
        return
    dim = argument(node, 1, "dim")
    facts = program.seen.get(program.text(given.value))
    if facts is None or facts.shape is None or len(facts.shape) < 2:
        return
    if dim is not None and program.text(dim.value) != "0":
        return  # along another dimension of which: of the tensor, or of its entries?
    if _is_made_whole(program, given.value, node):
        return
    name, entries = program.text(given.value), call("tuple", cst.Arg(given.value))
    told = f"the {facts.shape[0]} entries of `{name}` are joined"
    meant = "its entries shall be joined, one behind the other"
    said = r"\b(flatten|merge|join|entries|all (the )?(samples|rows))\b"
    yield program.edit({given.value: entries}, told, meant, at=node, said=said)
    told, meant = f"`{name}` is one tensor already", "it is the batch that is wanted, as it is"
    yield program.edit({node: given.value}, told, meant, said=r"\bas (it is|one batch)\b")


def _is_made_whole(program: Program, value: cst.BaseExpression, node: cst.Call) -> bool:
    """Whether the tensor was reshaped on purpose: then how its entries lie is the question."""
    text = program.text(scope_of(program, node))
    name = program.text(value)
    return any(
        f"{name} = " in row and ("shape(" in row or "view(" in row) for row in text.splitlines()
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same tensors go on, with all of their elements."""
    error = seen_error(before, *ERRORS)
    was, now = failing_lines(error, proposal.code)
    named = set(re.findall(r"\b[A-Za-z_]\w*\b(?!\s*[=(.])", was))
    lost = sorted(n for n in named if not re.search(rf"\b{n}\b", now))
    detail = f"`{lost[0]}` is not used any more" if lost else "every tensor is still used"
    return [Check(name="tensors", passed=not lost, detail=detail)]
