"""Every backward, step and zero_grad is still made, as often as before, and none twice."""

import re

from executor.protocol import Influence
from knowledge.repair.changed import lines_of
from knowledge.repair.check import Passes, Said, refusing
from knowledge.repair.checks.runs import Tried, influence

_CALLS = {
    "backward": re.compile(r"(?<!def )\b(?:backward|autograd\.grad|grad)\("),
    "step": re.compile(r"\bopt\w*\.step\("),
    "zero_grad": re.compile(r"\.zero_grad\("),
}
_ASKS = re.compile(r"step\(\) missing 1 required positional argument: 'closure'")
# What ends a loop by a value of the run.
_ENDED_INSIDE = re.compile(r"^[ \t]*(?:while\b[^\n]*|break\b)", re.MULTILINE)
# One backward of a sum is the backward of each of its losses.
_SUMMED = re.compile(r"(?:\bsum\(|\+).*\.backward\(")


@refusing("training calls", "every training step is still made")
def check(tried: Tried) -> Said:
    """No fewer calls than the original made, or was about to make when its error came."""
    if tried.after.influence is None:
        yield Passes("it could not be counted", tried=False)
        return
    was, now = influence(tried.reference), tried.after.influence
    for name, pattern in _CALLS.items():
        made = _count(now, name)
        wanted = max(_whole(tried, was, name), _failing(tried, name, pattern, was))
        summed = name == "backward" and made and _SUMMED.search(_added(tried))
        if made < wanted and not summed and not _goes_other_ways(tried, was, now):
            yield f"{name}() was called {wanted} times, and now {made} times"
        if not made and pattern.search(_removed(tried)) and not pattern.search(_added(tried)):
            yield f"it calls {name}() no more"
    error = tried.before.error
    if error is not None and _ASKS.search(error.message) and now.backwards <= now.steps:
        # An optimizer of this kind evaluates the loss several times a step, by its closure.
        yield "what step() is given computes no gradients anew"
    lines = lines_of(tried.original, tried.fixed)
    for line in now.doubled:
        # Without a step, adding them up may be what the code shows.
        if now.steps and lines.same.get(line) not in was.doubled:
            yield f"line {line} adds the gradients of one loss a second time"


def _goes_other_ways(tried: Tried, was: Influence, now: Influence) -> bool:
    """Whether what was trained decides how many rounds there are, and each has all its calls."""
    ends = [_ENDED_INSIDE.findall(code) for code in (tried.original, tried.fixed)]
    if tried.before.error is not None or not ends[0] or ends[0] != ends[1]:
        return False
    counts = [(_count(was, name), _count(now, name)) for name in _CALLS]
    return all(a * d == b * c for a, b in counts for c, d in counts) and all(
        2 * b >= a for a, b in counts
    )


def _count(seen: Influence, name: str) -> int:
    return {"backward": seen.backwards, "step": seen.steps, "zero_grad": seen.zero_grads}[name]


def _whole(tried: Tried, was: Influence, name: str) -> int:
    """How many calls there were in rounds that were not broken off: a fix may take fewer rounds."""
    if name == "zero_grad" and tried.before.error is not None:
        return min(was.zero_grads, was.steps)
    return _count(was, name)


def _failing(tried: Tried, name: str, pattern: re.Pattern[str], was: Influence) -> int:
    """How many calls there are with the one that raised."""
    if tried.before.error is None or not pattern.search(tried.before.error.code):
        return 0
    return _count(was, name) + 1


def _removed(tried: Tried) -> str:
    kept = set(lines_of(tried.original, tried.fixed).same.values())
    lines = tried.original.splitlines()
    return "\n".join(s for n, s in enumerate(lines, start=1) if n not in kept)


def _added(tried: Tried) -> str:
    changed = lines_of(tried.original, tried.fixed).changed
    lines = tried.fixed.splitlines()
    return "\n".join(s for n, s in enumerate(lines, start=1) if n in changed)
