"""Look a tensor's number up, not the tensor."""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import failing, seen_error

ERRORS = ("tensor_as_key",)


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """`names[label]` → `names[label.item()]`."""
    error = seen_error(result, *ERRORS)
    node = failing(program, error)
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return
    index = node.slice[0].slice
    if not isinstance(index, cst.Index):
        return
    told = "a dict finds a tensor by identity, and its number by value"
    yield Rewrite.of(program, {index.value: method(index.value, "item")}, told, at=node)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same dict is asked for the same number."""
    error = seen_error(before, *ERRORS)
    if error is None:
        return []
    kept = still_computed(error, proposal.code, allowed=("item",))
    asked = re.search(r"\.(get|setdefault)\(", proposal.code) is None or ".get(" in error.code
    detail = "the key must be there" if asked else "a key that is not there goes unnoticed"
    return [kept, Check(name="asked", passed=asked, detail=detail)]
