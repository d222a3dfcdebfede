"""Remove a hook by the handle that registering it gave: modules have no method for it.

`layer.remove_forward_hook(hook)` becomes `handle.remove()`, and `handle` is kept above.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import HasMessage, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.statements import receiver

_REMOVES = re.compile(r"(?:remove|unregister|deregister)_(?P<kind>\w*hook)")


def applies(result: JobResult) -> bool:
    """A module was asked to remove a hook."""
    return _removed(result.error) is not None


def _removed(error: HasMessage | None) -> re.Match[str] | None:
    """The method that there is not, where it is to remove a hook."""
    seen = read(error, "object_attribute") if error is not None else None
    return _REMOVES.fullmatch(seen["name"]) if seen is not None else None


def edits(failure: Failure) -> Rewrites:
    """Every hook that is removed so, each by its own handle."""
    program, said = failure.program, _removed(failure.error)
    if said is None:
        return
    registered, removed = {}, {}
    for statement in program.all(cst.Expr):
        call = statement.value
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            continue
        method, owner = call.func.attr.value, receiver(program, call)
        if method.startswith("register_") and method.endswith(said["kind"]):
            if owner in registered:
                return  # two hooks of one module: which of them goes is open
            registered[owner] = (statement, call)
        elif method == said[0]:
            removed[owner] = statement
    changes: Edits = {}
    for number, (owner, statement) in enumerate(removed.items(), start=1):
        if owner not in registered:
            return
        made, call = registered[owner]
        name = free_name(program, "handle" if len(removed) == 1 else f"handle_{number}")
        target = cst.AssignTarget(cst.Name(name))
        changes[made] = cst.Assign([target], call)
        changes[statement] = cst.Expr(cst.parse_expression(f"{name}.remove()"))
    if changes:
        told = "the handle that registering the hook gave removes it"
        title = f"line {failure.error.line}: {told}"
        yield Rewrite(program.replace(changes), title, told, cost=COST.SURE, as_one=True)
