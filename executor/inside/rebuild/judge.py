"""Say how near a trial comes to the posted error: its family, its line, its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from executor.errors import same_family, same_numbers
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.trial import Outcome


class Nearness(IntEnum):
    """From nothing to the posted error itself."""

    NOTHING = 0  # it took too long
    ENDED = 1  # it ran to its end
    OTHER = 2  # another error elsewhere
    SAME_LINE = 3  # another error at the posted line
    SAME_FAMILY = 4  # the posted family, and not at the posted line
    REBUILT = 5  # the posted family at the posted line, with other numbers
    EXACT = 6  # the numbers too


@dataclass(frozen=True)
class _Message:
    type: str
    message: str


def nearness(posted: Posted, seen: Outcome) -> Nearness:
    """Compare a trial with what was posted."""
    if seen.ok:
        return Nearness.ENDED
    if seen.type == "Timeout":
        return Nearness.NOTHING
    at_line = bool(posted.lines & set(seen.lines))
    error = _Message(seen.type, seen.message)
    if not same_family(posted.error, error):
        return Nearness.SAME_LINE if at_line else Nearness.OTHER
    if posted.lines and not at_line:
        return Nearness.SAME_FAMILY
    exact = same_numbers(posted.error, error)
    return Nearness.EXACT if exact else Nearness.REBUILT
