"""A warning that tells of a mistake may not be new, even where the run goes further than before."""

import re

from executor.errors import is_a_notice, tells_of_a_mistake
from executor.protocol import WarningSeen
from knowledge.repair.changed import lines_of
from knowledge.repair.check import Passes, Said, refusing
from knowledge.repair.checks.runs import Tried
from knowledge.repair.mistake import without_numbers

# A TracerWarning says that a trace keeps a value as a constant.
_TAKEN = re.compile(r"\.(?:detach|item|tolist|numpy)\(|\.data\b")
# What gives no value: the lines that follow go on with what was there before.
_GIVES_NOTHING = re.compile(r"\.(?:backward|step)\([^()]*\)$")
_RESHAPES = ("layout", "expanded", "outer")
_TOLD = ("UserWarning", "RuntimeWarning", "TracerWarning")


@refusing("fresh warnings", "no new warning tells of a mistake")
def check(tried: Tried) -> Said:
    """No new warning tells of a mistake, and none comes from a line that was changed."""
    if tried.wrong.error is None:  # `nothing new` allows none at all there
        yield Passes("no new warning")
    known = {_kind(w) for run in (tried.before, tried.reference) if run for w in run.warnings}
    lines = lines_of(tried.original, tried.fixed)
    # What is taken out of the graph, a trace keeps as a constant, wherever it warns of that.
    takes_out = len(_TAKEN.findall(tried.fixed)) > len(_TAKEN.findall(tried.original))
    theirs = _goes_on_alike(tried)
    for w in tried.after.warnings:
        fresh = _kind(w) not in known and w.category in _TOLD
        told = w.line in lines.changed and not is_a_notice(w.message)
        told |= w.category == "TracerWarning" and takes_out
        if fresh and (told or (tells_of_a_mistake(w.message) and not theirs)):
            yield f"a new {w.category}: {w.message[:80]}"


def _goes_on_alike(tried: Tried) -> bool:
    """Whether what the run reaches now has the shapes that it would have had: the warning is about
    lines that came later, and would be there with any edit that goes past the error.
    """
    error, seen = tried.wrong.error, tried.after.influence
    if error is None or seen is None or _GIVES_NOTHING.search(error.code) is None:
        return False
    theirs = {line.strip() for line in tried.original.splitlines()}  # indented anew or not
    made = {n for n, line in enumerate(tried.fixed.splitlines(), 1) if line.strip() not in theirs}
    return not any(o.kind in _RESHAPES and o.line in made for o in seen.operations)


def _kind(w: WarningSeen) -> tuple[str, str]:
    return w.category, without_numbers(w.message)
