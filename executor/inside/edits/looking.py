"""Run a program in a fork until it fails, and look at its values there."""

from __future__ import annotations

from collections.abc import Callable

from executor.inside.edits import program
from executor.inside.edits.dead import DeadFrames
from executor.inside.edits.forks import in_fork
from executor.protocol import Job


def at_the_failure(job: Job, look: Callable[[DeadFrames], bytes], longest_s: float) -> bytes | None:
    """What `look` makes of the dead frames; None where the program did not fail or took too long.

    Args:
        job: the program's; its files are in the working folder.
        look: is called in the fork.
        longest_s: by the clock, for both.
    """

    def do() -> bytes:
        program.silent()
        ended = program.run_here(job)
        return look(DeadFrames(ended)) if ended.error is not None else b""

    return in_fork(do, longest_s) or None
