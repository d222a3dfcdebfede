"""Keep the handle that registering a hook returns, and remove the hook through it."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.errors import read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.flow import free_name, in_loop
from knowledge.repair.toolkit.sites import scope_of, seen_error

_NAME = re.compile(
    r"(?:remove|unregister|deregister)_"
    r"(?:(forward|forward_pre|backward|full_backward|full_backward_pre)_)?hooks?"
)


def applies(result: JobResult) -> bool:
    """A hook was to be removed by a method that nothing has."""
    error = seen_error(result, "object_attribute")
    return error is not None and _hook(error) is not None


def _hook(error: ErrorSeen | Caught) -> re.Match[str] | None:
    """The name of the method that is not there, if it speaks of removing a hook."""
    seen = read(error, "object_attribute")
    return _NAME.fullmatch(seen["name"]) if seen is not None else None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`handle = layer.register_forward_hook(…)`, and later `handle.remove()`, for every one."""
    error = seen_error(result, "object_attribute")
    match = _hook(error) if error is not None else None
    if match is None:
        return
    removals = [
        c
        for c in program.all(cst.Call)
        if isinstance(c.func, cst.Attribute) and c.func.attr.value == match[0]
    ]
    edits: dict[cst.CSTNode, cst.CSTNode] = {}
    seen: list[cst.Call] = []
    first = name = ""
    for number, removal in enumerate(sorted(removals, key=program.line), start=1):
        registered = _registered(program, removal, match[1] or "forward")
        if registered is None or registered in seen or not _alone(program, removal):
            return
        seen.append(registered)
        kept = program.up(registered, cst.Assign)
        if kept is not None and isinstance(kept.targets[0].target, cst.Name):
            name = kept.targets[0].target.value
        elif _alone(program, registered):
            name = free_name(program, "handle" if number == 1 else f"handle_{number}")
            statement = program.up(registered, cst.Expr)
            assert statement is not None
            target = cst.AssignTarget(cst.Name(name))
            edits[statement] = cst.Assign([target], registered, statement.semicolon)
        else:
            return
        first = first or name
        edits[removal] = cst.parse_expression(f"{name}.remove()")
    if edits:
        yield Rewrite(
            program.replace(edits),
            f"line {program.line(removals[0])}: a hook is removed through the handle that "
            "registering it returned",
            new_name=first,
        )


def _registered(program: Program, removal: cst.Call, kind: str) -> cst.Call | None:
    """The one call above that registered a hook on the same object."""
    assert isinstance(removal.func, cst.Attribute)
    owner = program.text(removal.func.value)
    found = [
        c
        for c in program.all(cst.Call)
        if program.text(c.func) == f"{owner}.register_{kind}_hook"
        and program.line(c) < program.line(removal)
        and scope_of(program, c) is scope_of(program, removal)
    ]
    alone = len(found) == 1 and not in_loop(program, found[0]) and not in_loop(program, removal)
    return found[0] if alone else None


def _alone(program: Program, call: cst.Call) -> bool:
    """Whether the call is a statement of its own."""
    return isinstance(program.parent(call), cst.Expr)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every handle that is removed came from registering a hook."""
    code = proposal.code
    removed = re.findall(r"(\w+)\.remove\(\)", code)
    kept = [n for n in removed if re.search(rf"\b{n}\s*=\s*[^\n]*\.register_\w*hook\(", code)]
    whole = bool(removed) and len(kept) == len(removed)
    detail = "each hook is removed through its handle" if whole else "no handle is removed"
    return [Check(name="handles", passed=whole, detail=detail)]
