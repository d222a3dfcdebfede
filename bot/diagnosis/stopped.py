"""Say why the run of a fix stopped, where that is not the code's fault.

Of a rebuilt error the placeholders have the sizes that it needs, and of the others nothing is known
but their use: a fix may lead on to where these sizes matter first.
"""

from __future__ import annotations

import re

from bot.diagnosis.missing import missing
from executor.errors import topic_of
from executor.protocol import Glue, JobResult
from knowledge.repair.stops import WhyStopped

_OF_SIZES = frozenset({"shapes", topic_of("IndexError", "")})
_HAS_SIZES = re.compile(r"\btensor \[|\btable \[|\barray \[")


def why_stopped(glue: Glue | None, before: JobResult) -> WhyStopped:
    """What says why a candidate's run stopped.

    Args:
        glue: what was added so that the posted error came up, if anything was.
        before: the run with that error.
    """
    free = [
        f"`{b.name}`"
        for b in (glue.before if glue is not None else ())
        if b.evidence in ("use", "usual") and _HAS_SIZES.search(b.what)
    ]

    def why(run: JobResult) -> str:
        if reason := missing(run):
            return reason
        if not free or _is_about_sizes(before) or not _is_about_sizes(run):
            return ""
        have = "have" if len(free) > 1 else "has"
        return f"what stands for {' and '.join(free)} here {have} other sizes than yours, perhaps"

    return why


def _is_about_sizes(run: JobResult) -> bool:
    error = run.error
    return error is not None and topic_of(error.type, error.message) in _OF_SIZES
