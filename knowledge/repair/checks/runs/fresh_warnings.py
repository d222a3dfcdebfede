"""A warning that tells of a mistake may not be new, even where the run goes further than before."""

from __future__ import annotations

import re

from executor.errors import is_a_notice, tells_of_a_mistake
from executor.protocol import WarningSeen
from knowledge.repair.changed import lines_of
from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried

# A TracerWarning says that a trace keeps a value as a constant.
_TAKEN = re.compile(r"\.(?:detach|item|tolist|numpy)\(|\.data\b")
_TOLD = ("UserWarning", "RuntimeWarning", "TracerWarning")


def check(tried: Tried) -> Check:
    """No new warning tells of a mistake, and none comes from a line that was changed."""
    if tried.wrong.error is None:  # `nothing new` allows none at all there
        return Check(name="fresh warnings", passed=True, detail="no new warning")
    known = {_kind(w) for run in (tried.before, tried.reference) if run for w in run.warnings}
    lines = lines_of(tried.original, tried.fixed)
    # What is taken out of the graph, a trace keeps as a constant, wherever it warns of that.
    takes_out = len(_TAKEN.findall(tried.fixed)) > len(_TAKEN.findall(tried.original))
    for w in tried.after.warnings:
        fresh = _kind(w) not in known and w.category in _TOLD
        told = w.line in lines.changed and not is_a_notice(w.message)
        told |= w.category == "TracerWarning" and takes_out
        if fresh and (told or tells_of_a_mistake(w.message)):
            detail = f"a new {w.category}: {w.message[:80]}"
            return Check(name="fresh warnings", passed=False, detail=detail)
    return Check(name="fresh warnings", passed=True, detail="no new warning tells of a mistake")


def _kind(w: WarningSeen) -> tuple[str, str]:
    return w.category, re.sub(r"\d+", "#", w.message)[:120]
