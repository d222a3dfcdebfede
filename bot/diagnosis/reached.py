"""Say which of the posted lines a run that ended well did not carry out.

Of a line that never ran nobody knows whether it raises something here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, PostedReading, Question
from executor.protocol import JobResult, StatementSeen

_NAMED = re.compile(r"^\s*(?:async\s+def|def|class)\s+(\w+)", re.MULTILINE)
_DEFINES = ("functiondef", "asyncfunctiondef", "classdef")


def never_come_to(
    pasted: PastedTraceback, reading: PostedReading | None, question: Question, run: JobResult
) -> str:
    """The posted line that raised their error, where the run never came there; empty if it did.

    It is the traceback's last own line, else a line that the message's values point to. Of several
    such lines, or of one that is not found, any that ran may have raised it.
    """
    lines = question.code.split("\n")
    own = [frame.code.strip() for frame in user_frames(pasted) if frame.code.strip()][-1:]
    fitting = reading.fitting if reading is not None else ()
    told = own or [line.code.strip() for line in fitting]
    places = [n for n, line in enumerate(lines, 1) if line.strip() in told]
    if not places or any(was_reached(n, run) is not False for n in places):
        return ""
    return lines[places[0] - 1].strip()


def was_reached(line: int, run: JobResult) -> bool | None:
    """Whether a line of the snippet was carried out; None where that was not recorded."""
    around = [s for s in run.statements if s.first <= line <= s.last]
    if not around:
        return None
    return max(around, key=lambda s: (s.first, -s.last)).times > 0


def never_entered(question: Question, run: JobResult) -> list[str]:
    """Functions and classes at the margin of which not one statement inside a function ran."""
    lines = question.code.split("\n")
    outer = [s for s in run.statements if s.kind in _DEFINES and not s.inside]
    names = (_name(s, lines) for s in outer if _is_idle(s, run.statements))
    return [name for name in names if name]


def _is_idle(definition: StatementSeen, statements: Iterable[StatementSeen]) -> bool:
    body = [
        s.times
        for s in statements
        if definition.first <= s.first <= s.last <= definition.last
        and s.kind not in _DEFINES
        and any("functiondef" in kind for kind in s.inside)
    ]
    return bool(body) and not any(body)


def _name(definition: StatementSeen, lines: Sequence[str]) -> str:
    found = _NAMED.search("\n".join(lines[definition.first - 1 : definition.last]))
    return found[1] if found is not None else ""
