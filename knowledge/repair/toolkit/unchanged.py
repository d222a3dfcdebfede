"""What an edit elsewhere must leave as it was: the expression that failed."""

from __future__ import annotations

from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal


def failing_expression_kept(before: JobResult, proposal: Proposal) -> Check:
    """The expression that raised the error still stands in the code: what it needs came to it."""
    code = "".join(before.error.code.split()) if before.error is not None else ""
    kept = code in "".join(proposal.code.split())
    detail = "what failed is still asked for" if kept else "what failed is no longer asked for"
    return Check(name="asked", passed=kept, detail=detail)


def failing_lines(error: ErrorSeen | Caught | None, proposal: Proposal) -> tuple[str, str]:
    """The expression that raised an error, and what stands on its line now, without a comment."""
    line = error.line if error is not None and error.line is not None else 0
    now = dict(enumerate(proposal.code.splitlines(), start=1)).get(line, "")
    return error.code if error is not None else "", now.partition("#")[0]
