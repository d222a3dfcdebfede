"""Find the error that came first, where the last one only says that another process failed.

A launcher reports that a process of its has failed, a worker that was started reports that it got
nothing to begin with, and a loader that its worker is gone. Each of them comes last, and says
nothing of why: what failed first stands above it.
"""

from __future__ import annotations

import re

from bot.messages.traceback_text import find_tracebacks, is_header
from bot.models import PastedTraceback
from executor.errors import is_a, read

_STARTS_PROCESSES = re.compile(
    r"\bspawn\w*\b|\bpopen_\w+\.py|\breduction\.py|\bforkserver\b|ForkingPickler"
)
_LAUNCHES = re.compile(r"torch\.distributed|torchrun|\blaunch(?:er)?\.py|accelerate|deepspeed")
_WAITED = frozenset({"Empty", "TimeoutError", "KeyboardInterrupt"})  # of who waits for a process


def is_a_follow_up(error: PastedTraceback) -> bool:
    """Whether an error says no more than that another process failed, or is gone."""
    if is_a(error, "launched_failed"):
        return error.type.endswith("ChildFailedError") or bool(_LAUNCHES.search(error.text))
    unread, died = read(error, "checkpoint_unreadable"), read(error, "worker_died")
    if (unread is not None and unread["empty"]) or is_a(error, "broken_pipe"):
        return bool(_STARTS_PROCESSES.search(error.text))
    return died is not None and not died["how"]


def came_first(error: PastedTraceback) -> PastedTraceback | None:
    """The first error in the text of a follow-up that says more than it; None if there is none."""
    blocks: list[list[str]] = [[]]
    for line in error.text.split("\n"):
        if is_header(line):
            blocks.append([])
        blocks[-1].append(line)
    for block in blocks:
        for found in find_tracebacks(block, whole_block=True):
            first = found.traceback
            name = first.type.rpartition(".")[2]
            if first.type and name not in _WAITED and not is_a_follow_up(first):
                return first.model_copy(update={"text": error.text})
    return None
