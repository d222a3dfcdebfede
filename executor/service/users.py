"""User numbers for runs: one for each slot, used by nobody else."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from executor.jail.monitor import processes_of
from executor.jail.syscalls import libc

_LOWEST = 20_000  # below are the system's and people's own
_HIGHEST = 1 << 31  # and 0xFFFFFFFF means "nobody"


def own_users(n: int) -> range:
    """n user numbers that this process may switch to.

    Processes are counted per user on the whole machine, across containers, so the range starts
    at random: two executors that each take the same fixed numbers would share one limit.

    Raises:
        LookupError: a user namespace maps too few numbers.
    """
    spans = [s for s in _mapped() if s.stop - s.start >= n]
    if not spans:
        raise LookupError(f"no {n} user numbers above {_LOWEST} are mapped into this container")
    widest = max(spans, key=len)
    first = random.SystemRandom().randrange(widest.start, widest.stop - n + 1)
    return range(first, first + n)


def _mapped() -> list[range]:
    try:
        lines = Path("/proc/self/uid_map").read_text().splitlines()
    except OSError:  # no user namespaces in this kernel
        return [range(_LOWEST, _HIGHEST)]
    spans = []
    for line in lines:
        inside, _, count = map(int, line.split())
        span = range(max(inside, _LOWEST), min(inside + count, _HIGHEST))
        if len(span) > 0:
            spans.append(span)
    return spans


@contextmanager
def acting_as(uid: int) -> Iterator[None]:
    """Access files with the rights of a run's user, in this thread only.

    It needs SETUID and SETGID, but no CHOWN and no DAC_OVERRIDE: a stranger's files are never
    opened with more rights than the stranger had.

    Source:
        https://man7.org/linux/man-pages/man2/setfsuid.2.html (per thread, made for file servers)
    """
    group = os.getegid()
    libc.setfsgid(uid)
    libc.setfsuid(uid)
    try:
        if libc.setfsuid(-1) != uid:  # it reports no failure
            raise PermissionError(f"this process may not act as user {uid}: it needs SETUID")
        yield
    finally:
        libc.setfsuid(os.geteuid())
        libc.setfsgid(group)


def end_all_of(uid: int, within_s: float, but: int | None = None) -> set[int]:
    """End every process of a run's user that its monitor left behind, and reap what is ours.

    Args:
        uid: the user.
        within_s: how long to wait for them to be gone; a large process takes its time to exit.
        but: a process that ends by itself.

    Returns:
        the processes that are still there.
    """
    orphans = set(processes_of(uid)) - {but}
    if not orphans:
        return set()
    _kill_as(uid)
    until = time.monotonic() + within_s
    while (alive := set(processes_of(uid)) - {but}) and time.monotonic() < until:
        time.sleep(0.01)
    _reap(orphans - alive)
    return alive


def _kill_as(uid: int) -> None:
    """Kill, as this user, all that it may signal: one atomic pass, which no fork outruns."""
    if uid <= 0:  # as root it would end the machine
        return
    try:
        subprocess.run(
            ["/bin/sh", "-c", "kill -KILL -1"],
            user=uid,
            group=uid,
            extra_groups=[],
            env={},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        pass  # they are counted again, and what is left is said


def _reap(pids: Iterable[int]) -> None:
    """Reap those of ended processes that became our children, as their monitor was gone."""
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass  # somebody else's
