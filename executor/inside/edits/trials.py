"""Run many programs one after another in one fork: 7 ms each where a run of its own takes 43.

A program that hangs is ended by an alarm; one that cannot be ended so takes its fork with it, and
the next program gets a new one. Generators are seeded anew for each, and torch's modes reset; what
else a program leaves behind (patches, files) the next ones see. So a trial is a hint of what a run
of its own would show, and that run decides.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

from executor.inside.edits import program
from executor.inside.edits.forks import lines_of_fork
from executor.inside.probes.exceptions import class_name, message_of
from executor.protocol import Job, Trial

_MESSAGE = 1000
_PRINTED = 8 * 1024
_TRAINING_S = 1.0  # of computing, after which a program that trains has shown enough
_HARD_S = 1.0  # what a program may take longer than its alarm before its fork is ended
_CLOCK = 4  # times its time of computing that a program may take by the clock, on a busy machine


class _TooLong(BaseException):
    """The alarm; no program's `except Exception` catches it."""


def try_programs(jobs: Sequence[Job], each_s: float, budget_s: float) -> list[Trial | None]:
    """What each program does; None for those that the time did not reach.

    Args:
        jobs: one for each program.
        each_s: the longest that one may compute.
        budget_s: of computing for all together; by the clock it may be four times as long.
    """
    until = time.monotonic() + _CLOCK * budget_s
    left_s = budget_s
    found: list[Trial | None] = []
    while len(found) < len(jobs) and left_s > 0 and time.monotonic() < until:
        before = _computed_by_forks_s()
        # What supplies missing files and data, or a GPU, patches libraries for one program alone.
        first = jobs[len(found)]
        count = 1 if first.stand_ins or first.simulate else None
        batch = jobs[len(found) :][:count]
        here = list(_in_one_fork(batch, each_s, left_s, until))
        left_s -= _computed_by_forks_s() - before
        found += here
        if len(here) < len(batch) and left_s > 0 and time.monotonic() < until:
            found.append(Trial(type="Timeout"))  # it took its fork with it
    return found + [None] * (len(jobs) - len(found))


def _computed_by_forks_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _in_one_fork(
    jobs: Sequence[Job], each_s: float, left_s: float, until: float
) -> Iterator[Trial]:
    def do(say: Callable[[bytes], None]) -> None:
        home = Path.cwd()
        program.silent()
        for job in jobs:
            if time.process_time() > left_s or time.monotonic() > until:
                return
            os.chdir(home)
            say(_tried(job, each_s).model_dump_json().encode())

    longest_s = until - time.monotonic() + _HARD_S
    for line in lines_of_fork(do, longest_s, _CLOCK * each_s + _HARD_S):
        yield Trial.model_validate_json(line)


def _tried(job: Job, each_s: float) -> Trial:
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    for alarm, timer, seconds in (
        (signal.SIGPROF, signal.ITIMER_PROF, each_s),
        (signal.SIGALRM, signal.ITIMER_REAL, _CLOCK * each_s),
    ):
        signal.signal(alarm, _ring)
        signal.setitimer(timer, seconds)
    try:
        ended = program.run_here(job, _TRAINING_S)
    except _TooLong:
        return Trial(type="Timeout")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    error = ended.error
    if error is None:
        return Trial(ok=True, stdout=ended.stdout[:_PRINTED])
    if isinstance(error, _TooLong):
        return Trial(type="Timeout")
    lines = []
    tb = error.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == ended.filename:
            lines.append(tb.tb_lineno)
        tb = tb.tb_next
    return Trial(
        type=class_name(error),
        message=message_of(error)[:_MESSAGE],
        lines=tuple(lines),
        stdout=ended.stdout[:_PRINTED],
    )


def _ring(*_: object) -> None:
    raise _TooLong
