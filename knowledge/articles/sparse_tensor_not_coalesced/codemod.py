"""Coalesce a sparse tensor where it is made, or where its entries are read."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import held_as
from knowledge.repair.toolkit.keeps import computed, written
from knowledge.repair.toolkit.sites import argument, assignment, calls, scope_of

ERRORS = ("sparse_uncoalesced",)
_TOLD = "repeated entries are added up", "repeated entries are not added up"
KEEPS = (computed(), written("coalesced", *_TOLD, has="coalesce"))
_MAKES = re.compile(r"(^|\.)(sparse_coo_tensor|FloatTensor|to_sparse|to_sparse_coo|add|mm|t)$")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`.coalesce()` at the tensor's one origin, else in front of what is asked of it."""
    node = program.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    made = _made(program, node.func.value)
    if made is not None and not _is_printed(program, made):
        what = "entries of one position are added up once, where the tensor is made"
        yield program.edit({made: method(made, "coalesce")}, what)
        return
    reads = rf"^{re.escape(program.text(node.func.value))}\.(indices|values)$"
    functions = (c.func for c in calls(program, reads, scope_of(program, node)))
    uses = [f.value for f in functions if isinstance(f, cst.Attribute)]
    if any(_written_into(program, use) for use in uses):
        return  # coalesce() makes a copy here, and the write would be lost
    told = "entries of one position are added up before they are read"
    yield program.edit({use: method(use, "coalesce") for use in uses}, told, at=node)


def _is_printed(program: Failed, made: cst.Call) -> bool:
    """Whether it is printed as it is: then it is coalesced for those who read its entries."""
    name = held_as(program, made)
    return any(program.text(a.value) == name for c in calls(program, "^print$") for a in c.args)


def _made(program: Failed, owner: cst.BaseExpression) -> cst.Call | None:
    """The call that makes the tensor, if a name leads there; a parameter is followed outwards."""
    if not isinstance(owner, cst.Name):
        return None
    assign = assignment(program, owner.value, owner)
    frames = len(program.result.frames)
    while assign is None and isinstance(owner, cst.Name) and frames > 1:
        function = scope_of(program, owner)
        statement = program.statement_on(program.result.frames[frames - 2].line)
        if not isinstance(function, cst.FunctionDef) or statement is None:
            return None
        names = [p.name.value for p in function.params.params]
        found = list(calls(program, rf"^{function.name.value}$", statement))
        if owner.value not in names or len(found) != 1:
            return None
        given = argument(found[0], names.index(owner.value), owner.value)
        if given is None or not isinstance(given.value, cst.Name):
            return None
        owner, frames = given.value, frames - 1
        assign = assignment(program, owner.value, owner)
    value = assign.value if assign is not None else None
    if isinstance(value, cst.Call) and _MAKES.search(program.text(value.func)):
        return value
    return None


def _written_into(program: Failed, use: cst.BaseExpression) -> bool:
    statement = program.up(use, cst.SimpleStatementLine)
    small = statement.body[0] if statement is not None else None
    if isinstance(small, cst.AugAssign):
        return use in program.expressions(small.target)
    if isinstance(small, cst.Assign):
        targets = (program.expressions(t) for t in small.targets)
        return any(use in nodes for nodes in targets)
    text = program.text(small) if small is not None else ""
    return re.search(r"\.(indices|values)\(\)(\[.*\])?\.\w+_\(", text) is not None
