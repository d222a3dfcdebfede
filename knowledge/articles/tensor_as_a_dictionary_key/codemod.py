"""Look a tensor's number up, not the tensor."""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.sites import seen_error

ERRORS = ("tensor_as_key",)
KEEPS = (computed(allowed=("item",)),)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`names[label]` → `names[label.item()]`."""
    node = program.node
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return
    index = node.slice[0].slice
    if not isinstance(index, cst.Index):
        return
    told = "a dict finds a tensor by identity, and its number by value"
    yield program.edit({index.value: method(index.value, "item")}, told, at=node)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same dict is asked for the same number."""
    error = seen_error(before, *ERRORS)
    got = error is not None and ".get(" in error.code
    asked = got or re.search(r"\.(get|setdefault)\(", proposal.code) is None
    detail = "the key must be there" if asked else "a key that is not there goes unnoticed"
    return [Check(name="asked", passed=asked, detail=detail)]
