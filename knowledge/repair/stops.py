"""Runs of a candidate that get past the mistake and stop for a reason that is not the code's.

Such a run proves less than one that reaches its end, and more than nothing: the candidate is then
called partly shown. Which reasons are not the code's (no network, a file that is not here, a
placeholder, the time limit) the bot decides, which tells people of them.
"""

from collections.abc import Callable

from executor.protocol import JobResult, Outcome
from knowledge.repair import verify
from knowledge.repair.mistake import mistake

# A run → why it stopped, as a clause; empty where the code itself is to blame, or where it ended.
WhyStopped = Callable[[JobResult], str]

_LIMITS = (Outcome.TIMEOUT, Outcome.OUT_OF_MEMORY)
_STOPPED = "it was stopped "  # how a limit is told: "it stops" stands before it already
_LONGER = 2  # times as long as up to the error a run has to last that tells of no line


def never(run: JobResult) -> str:
    """No reason but the code's own: every candidate has to reach its end."""
    return ""


def stop_of(before: JobResult, after: JobResult, old: str, new: str, why: WhyStopped) -> str:
    """Why a candidate's run stopped, past the mistake and by no fault of the code; else empty.

    Args:
        before: the run that showed the mistake.
        after: the candidate's.
        old: the code of the first.
        new: the code of the second.
        why: says what stopped a run.
    """
    if before.error is None or mistake(before).error is not before.error:
        return ""
    if after.outcome in _LIMITS or after.cut is not None:
        if after.seconds < 1 + _LONGER * before.seconds:
            return ""
        if after.cut is not None:
            return f"after {after.cut.steps} training steps, where its time was up"
    elif (
        after.outcome is not Outcome.ERROR
        or after.error is None
        or verify.same_error(before.error, after.error)
        or not verify.moved_on(before, after, old, new)
    ):
        return ""
    reason = why(after).partition(";")[0].strip()
    if not reason:
        return ""
    line = after.error.line if after.error is not None else None
    if line:
        return f"at line {line}: {reason.replace(f' (line {line})', '')}"
    return reason[len(_STOPPED) :] if reason.startswith(_STOPPED) else f"because {reason}"
