"""Count the time of a run: while it computes, while it waits, and by the clock.

A limit on the clock alone would punish a program for a busy machine, one on processor time alone
would let it sleep for ever. So each has its own, all of them measured from outside the run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from executor.jail.import_time import not_counted_s
from executor.protocol import Job, Limit
from executor.service.memory import descendants

_LOOK_S = 0.25  # how often the processes are asked
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")  # in which the kernel counts processor time
_USER, _SYSTEM, _CHILDREN = 11, 12, (13, 14)  # fields of /proc/PID/stat after the name


@dataclass(frozen=True)
class Look:
    """What the kernel says of a run's processes at one moment."""

    cpu_s: float  # of all of them, the ended ones too
    runnable: bool  # one of their threads computes, or would if it had a core


class RunClock:
    """The time of one run, from the moment when it got its job."""

    def __init__(
        self,
        job: Job,
        began: float,
        page: int,
        imports_s: float,
        look: Callable[[int], Look | None] | None = None,
    ) -> None:
        """Start counting.

        Args:
            job: the run's job.
            began: when it got it, by the monotonic clock.
            page: where the run says how much went into imports.
            imports_s: how much of that is believed.
            look: asks for a monitor's processes.
        """
        self._look = look or look_at
        self._limit_s, self._most_s = job.wall_s, job.longest_s
        self._on_gpu = job.device == "cuda"
        self._page, self._imports_s = page, imports_s
        self._began = self._looked = began
        self._cpu_s = 0.0
        self._computed = 0.0
        self._waited = 0.0
        self._spare = 0.0

    def exceeded(self, now: float, monitor: int | None) -> Limit | None:
        """The limit that the run has exceeded by now.

        - `cpu_s`: it computed for so long, its imports apart. Several threads or processes at the
          same time count once: no more than the clock.
        - `waiting_s`: it did nothing, though it could have: a sleep, a lock, an empty queue.
        - `wall_s`: on a GPU, where nobody sees what it computes, the clock counts, as it is.
        - `ceiling_s`: whatever it did, this is the longest that a run may take.

        Args:
            now: by the monotonic clock.
            monitor: the process whose descendants to ask.
        """
        if now - self._began >= self._most_s:
            return Limit(name="ceiling_s", value=self._most_s)
        passed = now - self._looked
        if passed < _LOOK_S and now - self._began < self._limit_s:
            return None
        if passed < _LOOK_S / 5:
            return None
        self._looked = now
        self._count(passed, self._look(monitor) if monitor is not None else None)
        own = self._computed - not_counted_s(self._page, self._cpu_s, self._imports_s)
        if own >= self._limit_s:
            return Limit(name="wall_s" if self._on_gpu else "cpu_s", value=self._limit_s)
        if self._waited >= self._limit_s:
            return Limit(name="waiting_s", value=self._limit_s)
        return None

    def _count(self, passed: float, seen: Look | None) -> None:
        if seen is None or self._on_gpu:  # not known: the clock counts, so that it ends
            self._computed += passed
            return
        used = max(0.0, seen.cpu_s - self._cpu_s)
        self._cpu_s = max(self._cpu_s, seen.cpu_s)
        computed = min(used, passed + self._spare)
        self._spare = min(passed + self._spare - computed, 2 * _TICK_S)
        self._computed += computed
        if not seen.runnable:
            self._waited += max(0.0, passed - computed)


def look_at(monitor: int) -> Look | None:
    """Ask the kernel; None where it does not tell."""
    own = _stat(f"/proc/{monitor}/stat")
    processes = [(pid, s) for pid in descendants(monitor) if (s := _stat(f"/proc/{pid}/stat"))]
    if not own or not processes:
        return None
    ticks = sum(int(own[i]) for i in _CHILDREN)  # of those that it has reaped
    ticks += sum(int(s[i]) for _, s in processes for i in (_USER, _SYSTEM, *_CHILDREN))
    runnable = any(s[0] in "RD" for _, s in processes) or any(
        map(_has_a_runnable_thread, _pids(processes))
    )
    return Look(ticks * _TICK_S, runnable)


def _pids(processes: list[tuple[int, list[str]]]) -> Iterator[int]:
    """Those with more than one thread."""
    return (pid for pid, s in processes if int(s[17]) > 1)


def _has_a_runnable_thread(pid: int) -> bool:
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return False
    return any((s := _stat(f"/proc/{pid}/task/{t}/stat")) and s[0] in "RD" for t in threads)


def _stat(path: str) -> list[str]:
    """The fields after the name, which may hold anything; empty if the process is gone."""
    try:
        return Path(path).read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
