"""Write new values into the parameter; where forward computes them, a state or a local name.

What `forward` computes from its data and stores in `self.x` may be a state that goes on to the next
call, or a result of this call alone: both are run.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import reaches_leaves
from knowledge.repair.toolkit.dataflow import is_factory
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import free_name, parameters, under
from knowledge.repair.toolkit.sites import scope_of

ERRORS = ("parameter_slot",)
_SHAPE = re.compile(r"registered parameter \[([\d, ]*)\]")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`copy_()` without recording; a buffer or a local name for what forward computes."""
    line = program.statement
    small = line.body[0] if line is not None and len(line.body) == 1 else None
    if line is None or not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return
    target = small.targets[0].target
    if not isinstance(target, cst.Attribute):
        return
    data = parameters(program, line) - {"self"}
    used = {n.value for n in program.inside(small.value, cst.Name)}
    own = isinstance(target.value, cst.Name) and target.value.value == "self"
    if own and used & data:
        yield from _as_state(program, line)
        yield from _as_local(program, line)
    elif not used & data and _is_plain(program, small.value, target):
        yield _written(program, line, target, small.value)


# -- new values for the parameter ------------------------------------------------------------


def _is_plain(program: Failed, value: cst.BaseExpression, target: cst.Attribute) -> bool:
    """Whether the values have the parameter's shape, and no gradient would be cut off by copying.

    The parameter itself may be in them; anything else must be a number or a tensor without a
    gradient.
    """
    own = program.text(target)
    mentions = [n for n in program.inside(value, cst.Attribute) if program.text(n) == own]
    inside = {id(n) for m in mentions for n in program.inside(m, cst.Name)}
    for name in program.inside(value, cst.Name):
        parent = program.parent(name)
        if id(name) in inside or program.is_label(name):
            continue
        if name.value in {"torch", "nn", "F", "math", "np"}:
            continue
        if isinstance(parent, cst.Attribute) and name.value == "self":
            if not _is_number(program, parent):
                return False
            continue
        facts = program.seen.get(name.value)
        if (
            facts is None
            or facts.requires_grad
            or (facts.shape is None and facts.type not in {"int", "float"})
        ):
            return False
    if mentions:
        return True
    return isinstance(value, cst.Name) or is_factory(program, value)


def _is_number(program: Failed, attribute: cst.Attribute) -> bool:
    """Whether `self.x` is assigned a number, and nothing else."""
    text = program.text(attribute)
    values = [
        a.value
        for a in program.all(cst.Assign)
        if any(program.text(t.target) == text for t in a.targets)
    ]
    return bool(values) and all(isinstance(v, (cst.Integer, cst.Float)) for v in values)


def _written(
    program: Failed, line: cst.SimpleStatementLine, target: cst.Attribute, value: cst.BaseExpression
) -> Rewrite:
    small = line.body[0]
    copy = cst.Expr(method(target, "copy_", cst.Arg(value)))
    edits = under(program, [line], f"{program.name_of('torch', 'no_grad')}()")
    block = edits[line]
    assert isinstance(block, cst.With)
    edits[line] = (
        block.with_deep_changes(small, value=copy.value)
        if isinstance(small, cst.Expr)
        else _replaced(block, small, copy)
    )
    told = "the parameter stays, and gets the new values without recording it"
    return program.edit(edits, told, at=line, subjects=(target.attr.value,))


def _replaced(block: cst.With, small: cst.BaseSmallStatement, new: cst.Expr) -> cst.With:
    inner = block.body.body[0]
    assert isinstance(inner, cst.SimpleStatementLine)
    changed = inner.with_changes(body=[new.with_changes(semicolon=small.semicolon)])
    return block.with_changes(body=block.body.with_changes(body=[changed]))


# -- what forward computes from its data -----------------------------------------------------


def _stored(program: Failed, line: cst.SimpleStatementLine) -> list[cst.Assign]:
    """Every `self.x = …` of the same function whose `x` is a parameter of the class."""
    found = []
    for assign in program.inside(scope_of(program, line), cst.Assign):
        target = assign.targets[0].target
        if (
            len(assign.targets) == 1
            and isinstance(target, cst.Attribute)
            and (_made(program, program.text(target), line) is not None)
        ):
            found.append(assign)
    return found


def _made(program: Failed, text: str, line: cst.CSTNode) -> cst.Assign | None:
    """`self.x = nn.Parameter(…)`, if that is the only place outside this function."""
    here = scope_of(program, line)
    around = scope_of(program, here)
    found = [
        a
        for a in program.inside(around, cst.Assign)
        if program.text(a.targets[0].target) == text and scope_of(program, a) is not here
    ]
    if len(found) != 1 or not isinstance(found[0].value, cst.Call):
        return None
    is_parameter = program.text(found[0].value.func).rpartition(".")[2] == "Parameter"
    return found[0] if is_parameter and found[0].value.args else None


def _as_state(program: Failed, line: cst.SimpleStatementLine) -> Rewrites:
    edits: Edits = {}
    names = []
    for assign in _stored(program, line):
        target = assign.targets[0].target
        made = _made(program, program.text(target), line)
        if (
            made is None
            or not isinstance(made.value, cst.Call)
            or not isinstance(target, cst.Attribute)
        ):
            return
        names.append(target.attr.value)
        register = target.with_changes(attr=cst.Name("register_buffer"))
        name = cst.Arg(cst.SimpleString(f'"{target.attr.value}"'))
        first = made.value.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        edits[made] = cst.Expr(cst.Call(register, [name, first]), semicolon=made.semicolon)
    if edits:
        told = ", ".join(f"`{n}`" for n in names)
        lines = " and ".join(str(program.line(n)) for n in edits)
        yield Rewrite(
            program.replace(edits),
            f"line {lines}: {told} as a buffer, to which results may be assigned",
            "it is a state that goes on to the next call",
            supposes=True,  # it may have been meant to learn where it starts
            said=r"\b(state|running|buffer|moving average|accumulat)",
        )


def _as_local(program: Failed, line: cst.SimpleStatementLine) -> Rewrites:
    here = scope_of(program, line)
    edits: Edits = {}
    names = []
    for assign in _stored(program, line):
        target = assign.targets[0].target
        if not isinstance(target, cst.Attribute):
            return
        text, new = program.text(target), _name(program, here, target.attr.value)
        made = _made(program, text, line)
        if made is not None and _is_carried_on(program, made, assign, text):
            return
        names.append(new)
        edits[target] = cst.Name(new)
        for node in program.inside(here, cst.Attribute):
            if program.text(node) == text and program.line(node) > program.line(assign):
                edits[node] = cst.Name(new)
    if names:
        told = ", ".join(f"`{n}`" for n in names)
        yield Rewrite(
            program.replace(edits),
            f"line {program.line(line)}: {told} for this call; the parameter stays what it is",
            "it is a result of this call alone",
            said=r"\b(out.of.place|temporary|this call|functional)",
        )


def _is_carried_on(program: Failed, made: cst.Assign, assign: cst.Assign, text: str) -> bool:
    """Whether a value that starts out as zeros or ones is computed from what it was before."""
    before = (program.text(n) == text for n in program.inside(assign.value, cst.Attribute))
    return any(before) and not re.search("rand|normal|uniform", program.text(made.value))


def _name(program: Failed, function: cst.CSTNode, wanted: str) -> str:
    """A local name that the function does not use yet."""
    taken = {
        n.value
        for n in program.inside(function, cst.Name)
        if not (isinstance(parent := program.parent(n), cst.Attribute) and parent.attr is n)
    }
    return wanted if wanted not in taken else free_name(program, f"new_{wanted}")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every backward that runs reaches leaves; a parameter that got values is still learned."""
    found = [reaches_leaves(after, wanted=False)]
    if proposal.subjects and after.trained:
        moved = any(proposal.subjects[0] in name.split(".") for name in after.moved)
        detail = "the optimizer still moves it" if moved else "the optimizer does not move it"
        found.append(Check(name="learns", passed=moved, detail=detail))
    return found
