"""A warning that tells of a mistake may not be new, even where the run goes further than before."""

from __future__ import annotations

import re

from executor.protocol import WarningSeen
from knowledge.repair.changed import lines_of
from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried

# What PyTorch says of values that come out other than meant, wherever it stands.
_MISTAKES = re.compile(
    r"Using a target size \(.*\) that is different to the input size"
    r"|None of the inputs have requires_grad=True"
)

# What it says of itself, or of the time that it takes.
_NOTICES = re.compile(r"\b(beta|prototype|experimental|deprecated|performance|slow\w*)\b", re.I)


def check(tried: Tried) -> Check:
    """No new warning tells of a mistake, and none comes from a line that was changed."""
    if tried.wrong.error is None:  # `nothing new` allows none at all there
        return Check(name="fresh warnings", passed=True, detail="no new warning")
    known = {_kind(w) for run in (tried.before, tried.reference) if run for w in run.warnings}
    lines = lines_of(tried.original, tried.fixed)
    for w in tried.after.warnings:
        fresh = _kind(w) not in known and w.category in ("UserWarning", "RuntimeWarning")
        told = w.line in lines.changed and not _NOTICES.search(w.message)
        if fresh and (told or _MISTAKES.search(w.message)):
            detail = f"a new {w.category}: {w.message[:80]}"
            return Check(name="fresh warnings", passed=False, detail=detail)
    return Check(name="fresh warnings", passed=True, detail="no new warning tells of a mistake")


def _kind(w: WarningSeen) -> tuple[str, str]:
    return w.category, re.sub(r"\d+", "#", w.message)[:120]
