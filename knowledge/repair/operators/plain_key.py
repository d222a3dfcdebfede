"""Name modules without dots, which part the names of what they hold: `name.replace(".", "_")`.

Where they are put in and where they are taken out alike; two names stay two.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program, method
from knowledge.repair.toolkit.statements import last_name

ERRORS = ("dot_in_a_name",)

_PUTS = frozenset({"add_module", "register_module", "register_buffer", "register_parameter"})


def edits(failure: Failure) -> Rewrites:
    """The names of one container, as variables; a name that is written out is the person's."""
    node = failure.node
    found = list(_keys(failure, node)) if node is not None else []
    made = failure.up(node, cst.Assign) if node is not None else None
    if made is not None and isinstance(node, cst.Call):
        held = failure.text(made.targets[0].target)
        taken = [s for s in failure.all(cst.Subscript) if failure.text(s.value) == held]
        found += [s.slice[0].slice.value for s in taken if isinstance(s.slice[0].slice, cst.Index)]
    elif isinstance(node, cst.Call) and found:
        taken_of = [c for c in failure.all(cst.Call) if failure.text(c.func) == "getattr"]
        found += [
            c.args[1].value
            for c in taken_of
            if len(c.args) > 1 and failure.text(c.args[0].value) == "self"
        ]
    if not found or not all(isinstance(k, (cst.Name, cst.Attribute)) for k in found):
        return
    if isinstance(node, cst.Call) and isinstance(node.args[0].value, cst.DictComp):
        text = f"[{failure.text(found[0])} {failure.text(node.args[0].value.for_in)}]"
        names = failure.live.value(text)
        if len({name.replace(".", "_") for name in names}) < len(names):
            return
    dot, line = (cst.Arg(cst.SimpleString(s)) for s in ('"."', '"_"'))
    changes: Edits = {k: method(k, "replace", dot, line) for k in found}
    told = "a name with `_` for each dot: `a.b` would be `b` of a module `a`"
    meant = "modules may be named otherwise than what they are for, with `_` for each dot"
    yield failure.edit(changes, told, meant, at=found[0], cost=COST.SAID, as_one=True)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What put them into a module still does."""
    function = before.error.code.partition("(")[0] if before.error is not None else ""
    kept = f"{function}(" in proposal.code
    detail = "they are still parts of a module" if kept else f"`{function}` is no longer called"
    return [Check(name="still parts", passed=kept, detail=detail)]


def _keys(program: Program, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """What the failing expression names modules with."""
    if not isinstance(node, cst.Call) or not node.args:
        return
    given = node.args[0].value
    if isinstance(given, cst.DictComp):
        yield given.key
    elif last_name(program, node.func) in _PUTS:
        yield given
