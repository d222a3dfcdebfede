"""Leave out an object that cannot be made and that nothing of the program uses.

Only what a class makes: what a function or a layer would have computed may be what the code shows.
"""

from __future__ import annotations

import inspect
import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import names_in
from knowledge.repair.toolkit.statements import removed

_NEEDED = re.compile(r"(?i)\brequire|\bneed|\bmust\b|\bnecessary\b")


def applies(result: JobResult) -> bool:
    """Something could not be made of what it was given."""
    error = result.error
    # Of code that lacks names nobody knows what uses what it makes.
    return error is not None and not result.undefined and error.type in ("ValueError", "TypeError")


def edits(failure: Failure) -> Rewrites:
    """The failing assignment left out, where nothing reads what it makes."""
    program, node, line = failure.program, failure.node, failure.statement
    made = program.parent(node) if node is not None else None
    if not isinstance(node, cst.Call) or not isinstance(made, cst.Assign) or line is None:
        return
    cls = failure.value(node.func)
    if not inspect.isclass(cls) or issubclass(cls, torch.Tensor) or cls.__module__ == "__main__":
        return
    if len(made.targets) != 1 or line is program.module.body[-1]:
        return
    said = line.trailing_whitespace.comment
    if failure.error.demonstrated or (said is not None and _NEEDED.search(said.value)):
        return  # it is there to fail, or said to be needed
    names = names_in(made.targets[0].target)
    uses = [n for n in program.all(cst.Name) if n.value in names]
    gone = removed(program, made)
    if len(names) != 1 or len(uses) != 1 or gone is None:
        return
    name = next(iter(names))
    what = f"nothing uses `{name}`, and the program can do without it"
    yield failure.edit(gone, what, at=made, cost=COST.POSSIBLE, supposes=True)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """It is not made of something else instead."""
    error = before.error
    made = error.code.partition("(")[0] if error is not None else ""
    at = proposal.code.splitlines()[error.line - 1 :] if error is not None and error.line else []
    gone = not made or f"{made}(" not in "".join(at[:1])
    return [Check.of("left out", gone, "it is left out", f"`{made}` is made of something else")]
