"""What an edit elsewhere must leave as it was: the expression that failed."""

from __future__ import annotations

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal


def failing_expression_kept(before: JobResult, proposal: Proposal) -> Check:
    """The expression that raised the error still stands in the code: what it needs came to it."""
    error = before.error
    code = "".join(error.code.split()) if error is not None else ""
    kept = code in "".join(proposal.code.split())
    detail = "what failed is still asked for" if kept else "what failed is no longer asked for"
    return Check(name="asked", passed=kept, detail=detail)
