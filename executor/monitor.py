"""Watch over one run: start it behind its walls, end it when told, leave nothing of it alive.

    warm server ─fork─▶ monitor ─fork─▶ (namespaces: init, pid 1 ─fork─▶) run

The monitor tells the supervisor what happened over a pipe that the run cannot reach, one JSON
object a line: {"started": pid}, then {"jailed": abi} or {"setup_error": text}, then
{"ended": {...}}, then {"left": n}. Its end of file means that the run is over and swept.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from executor import filesystem, jail, syscalls
from executor.errors import JailError

_SWEEP_S = 3.0


def say(status: int, **words: object) -> None:
    """Write one line to the supervisor."""
    os.write(status, json.dumps(words).encode() + b"\n")


def watch(
    cell: jail.Cell,
    run: Callable[[], NoReturn],
    *,
    stdout: int,
    stderr: int,
    status: int,
    kill: int,
) -> NoReturn:
    """Be the monitor: start the run, wait for its end or for `kill` to close, sweep, report.

    Args:
        cell: the walls.
        run: what the jailed process does; it never returns.
        stdout, stderr: the write ends of the run's pipes.
        status: where to report.
        kill: a pipe whose end of file says "end it now"; the supervisor's death closes it too.
    """
    try:
        os.setsid()
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        say(status, started=os.getpid())
        child = _start(cell, run, stdout, stderr, status)
        os.close(stdout)
        os.close(stderr)
        child_fd = os.pidfd_open(child)
        ready, _, _ = select.select([child_fd, kill], [], [])
        if kill in ready:
            _kill(child)
        _, wait_status, usage = os.wait4(child, 0)
        if cell.tier is not jail.Tier.NAMESPACES:  # there, init says it
            say(status, ended=_ending(wait_status, usage))
        say(status, left=_sweep(cell))
    except (JailError, OSError) as e:
        say(status, setup_error=str(e))
    finally:
        os._exit(0)


def _start(
    cell: jail.Cell, run: Callable[[], NoReturn], stdout: int, stderr: int, status: int
) -> int:
    if cell.tier is jail.Tier.NAMESPACES:
        syscalls.unshare(
            syscalls.CLONE_NEWPID
            | syscalls.CLONE_NEWNET
            | syscalls.CLONE_NEWIPC
            | syscalls.CLONE_NEWUTS
        )
        filesystem.bring_loopback_up()
    child = os.fork()
    if child == 0:
        if cell.tier is jail.Tier.NAMESPACES:
            _be_init(cell, run, stdout, stderr, status)
        _be_jailed(cell, run, stdout, stderr, status)
    return child


def _be_init(
    cell: jail.Cell, run: Callable[[], NoReturn], stdout: int, stderr: int, status: int
) -> NoReturn:
    """Pid 1 of the run's own pid namespace: when it exits, the kernel ends everything in there.

    The run itself must not be pid 1: abort() and ignored signals would behave unlike at home.
    """
    try:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        syscalls.unshare(syscalls.CLONE_NEWNS)  # ours alone: the monitor keeps seeing all of /proc
        filesystem.mount_private(cell.limits)
        child = os.fork()
        if child == 0:
            _be_jailed(cell, run, stdout, stderr, status)
        os.closerange(0, status)
        os.closerange(status + 1, 65536)
        syscalls.drop_all_capabilities()
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        while True:
            pid, wait_status, usage = os.wait4(-1, 0)
            if pid == child:
                say(status, ended=_ending(wait_status, usage))
                break
    except OSError as e:
        say(status, setup_error=f"the jail ({cell.tier}) could not be built: {e}")
    finally:
        os._exit(0)


def _be_jailed(
    cell: jail.Cell, run: Callable[[], NoReturn], stdout: int, stderr: int, status: int
) -> NoReturn:
    try:
        say(status, jailed=jail.enter(cell, stdout, stderr, status))
        os.close(status)
    except BaseException as e:
        say(status, setup_error=str(e) or type(e).__name__)
        os._exit(70)
    run()


def _ending(wait_status: int, usage: Any) -> dict[str, object]:
    code = os.waitstatus_to_exitcode(wait_status)
    return {
        "code": code if code >= 0 else None,
        "signal": signal.Signals(-code).name if code < 0 else None,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_memory_bytes": usage.ru_maxrss * 1024,
    }


def _kill(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # it has not called setsid yet, or init leads no group
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _sweep(cell: jail.Cell) -> int:
    """End whatever the run left behind; the number of processes that would not go."""
    deadline = time.monotonic() + _SWEEP_S
    while time.monotonic() < deadline:
        if cell.tier is jail.Tier.UID and cell.uid is not None:
            _kill_all_of(cell.uid)
        for pid in _own_children():
            _kill(pid)
        while _reap():
            pass
        left = len(_own_children()) + (len(processes_of(cell.uid)) if cell.uid else 0)
        if left == 0:
            return 0
        time.sleep(0.005)
    return left


def _kill_all_of(uid: int) -> None:
    """One atomic pass over every process of the user: a fork bomb cannot outrun it."""
    helper = os.fork()
    if helper == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)  # all that this user may signal, the helper excepted
        finally:
            os._exit(0)
    os.waitpid(helper, 0)


def processes_of(uid: int) -> list[int]:
    """The processes of a user, zombies excepted."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == uid and _state(entry) != "Z":
                    found.append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
    return found


def _state(entry: Path) -> str:
    return (entry / "stat").read_text().rpartition(")")[2].split()[0]


def _own_children() -> list[int]:
    """Our children; orphans of the run become ours, since we are its subreaper."""
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [int(pid) for pid in text.split()]


def _reap() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False
