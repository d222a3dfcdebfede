"""Write new values into the parameter; where forward computes them, a state or a local name.

What `forward` computes from its data and stores in `self.x` may be a state that goes on to the next
call, or a result of this call alone: both are run.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import moves
from knowledge.repair.toolkit.dataflow import is_factory, registered
from knowledge.repair.toolkit.edits import Edits, buffer, method, same
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import free_name, is_free, parameters, under
from knowledge.repair.toolkit.keeps import leaves
from knowledge.repair.toolkit.sites import scope_of

ERRORS = ("parameter_slot",)
KEEPS = (leaves,)
_MODULES = {"torch", "nn", "F", "math", "np"}


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`copy_()` without recording; a buffer or a local name for what forward computes."""
    line, small = program.statement, program.alone
    yield from registered(program, small)
    if line is None or not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return
    target = small.targets[0].target
    if not isinstance(target, cst.Attribute):
        return
    data = parameters(program, line) - {"self"}
    used = {n.value for n in program.inside(small.value, cst.Name)}
    if used & data and program.text(target.value) == "self":
        yield from _as_state(program, line)
        yield from _as_local(program, line)
    elif not used & data and _is_plain(program, small.value, target):
        yield _written(program, line, target, small)


def _is_plain(program: Failed, value: cst.BaseExpression, target: cst.Attribute) -> bool:
    """Whether the values have the parameter's shape, and no gradient would be cut off by copying.

    The parameter itself may be in them; anything else must be a number or a tensor without a
    gradient.
    """
    mentions = [n for n in program.inside(value, cst.Attribute) if same(n, target)]
    inside = {n for m in mentions for n in program.inside(m, cst.Name)}
    for name in program.inside(value, cst.Name):
        parent, facts = program.parent(name), program.seen.get(name.value)
        if name in inside or program.is_label(name) or name.value in _MODULES:
            continue
        if isinstance(parent, cst.Attribute) and name.value == "self":
            plain = _is_number(program, parent)
        elif facts is None or facts.requires_grad:
            return False
        else:
            plain = facts.shape is not None or facts.type in ("int", "float")
        if not plain:
            return False
    return bool(mentions) or isinstance(value, cst.Name) or is_factory(program, value)


def _is_number(program: Failed, attribute: cst.Attribute) -> bool:
    """Whether `self.x` is assigned a number, and nothing else."""
    assigned = program.all(cst.Assign)
    values = [a.value for a in assigned if any(same(t.target, attribute) for t in a.targets)]
    return bool(values) and all(isinstance(v, (cst.Integer, cst.Float)) for v in values)


def _written(
    program: Failed, line: cst.SimpleStatementLine, target: cst.Attribute, small: cst.Assign
) -> Rewrite:
    copy = cst.Expr(method(target, "copy_", cst.Arg(small.value)), semicolon=small.semicolon)
    inner = line.with_changes(body=[copy])
    edits = under({line: inner}, f"{program.name_of('torch', 'no_grad')}()")
    told = "the parameter stays, and gets the new values without recording it"
    return program.edit(edits, told, subjects=(target.attr.value,))


# -- what forward computes from its data -----------------------------------------------------


Stored = tuple[cst.Assign, cst.Attribute, cst.Assign, cst.Call]


def _stored(program: Failed, line: cst.SimpleStatementLine) -> Iterator[Stored]:
    """Every `self.x = …` of the function for a parameter `x`, its target, and how that is made."""
    here = scope_of(program, line)
    around = program.inside(scope_of(program, here), cst.Assign)
    others = [a for a in around if scope_of(program, a) is not here]
    for assign in program.inside(here, cst.Assign):
        target = assign.targets[0].target
        made = [a for a in others if same(a.targets[0].target, target)]
        call = made[0].value if len(made) == 1 else None
        if not isinstance(call, cst.Call) or not program.text(call.func).endswith("Parameter"):
            continue
        if len(assign.targets) == 1 and isinstance(target, cst.Attribute) and call.args:
            yield assign, target, made[0], call


def _as_state(program: Failed, line: cst.SimpleStatementLine) -> Rewrites:
    edits: Edits = {}
    names = []
    for _, target, made, call in _stored(program, line):
        names.append(f"`{target.attr.value}`")
        edits[made] = cst.Expr(buffer(target, call.args[0].value), semicolon=made.semicolon)
    if edits:
        told = f"{', '.join(names)} as a buffer, to which results may be assigned"
        meant = "it is a state that goes on to the next call"
        said = r"\b(state|running|buffer|moving average|accumulat)"
        # It may have been meant to learn where it starts.
        yield program.edit(edits, told, meant, at=[*edits], supposes=True, said=said)


def _as_local(program: Failed, line: cst.SimpleStatementLine) -> Rewrites:
    here = scope_of(program, line)
    edits: Edits = {}
    names = []
    for assign, target, made, _ in _stored(program, line):
        before = any(same(n, target) for n in program.inside(assign.value, cst.Attribute))
        if before and not re.search("rand|normal|uniform", program.text(made.value)):
            return  # a value that starts out as zeros or ones, and is carried on
        new = target.attr.value
        new = new if is_free(program, new) else free_name(program, f"new_{new}")
        names.append(f"`{new}`")
        edits[target] = cst.Name(new)
        for node in program.inside(here, cst.Attribute):
            if same(node, target) and program.line(node) > program.line(assign):
                edits[node] = cst.Name(new)
    if names:
        told = f"{', '.join(names)} for this call; the parameter stays what it is"
        said = r"\b(out.of.place|temporary|this call|functional)"
        meant = "it is a result of this call alone"
        yield program.edit(edits, told, meant, at=line, said=said)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """A parameter that got values is still learned."""
    if not proposal.subjects or not after.trained:
        return []
    return [moves(after, proposal.subjects[0])]
