"""Say how near a trial comes to the posted error: its family, its line, its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from executor.errors import HasMessage, family_of, same_family, same_names, same_numbers
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.trial import Outcome

_NUMBER = re.compile(r"\d+")


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
    if not same_family(posted.error, error) or not same_names(posted.error, error):
        return Nearness.SAME_LINE if at_line else Nearness.OTHER
    if posted.lines and not at_line:
        return Nearness.SAME_FAMILY
    if same_numbers(posted.error, error):
        return Nearness.EXACT
    return Nearness.REBUILT if _as_many(posted.error, error) else Nearness.SAME_FAMILY


def _as_many(one: HasMessage, other: HasMessage) -> bool:
    """Whether what both messages name has as many numbers: shapes of the same rank."""
    first = family_of(one.type, one.message)
    second = family_of(other.type, other.message)
    if first is None or second is None:
        return True
    return all(
        len(_NUMBER.findall(first[name])) == len(_NUMBER.findall(second[name]))
        for name in first.values
        if first[name] and second[name]
    )
