"""Monitor one run: start it behind its walls, end it when told, leave nothing of it alive.

    warm server ─fork─▶ monitor ─fork─▶ (namespaces: init, pid 1 ─fork─▶) run

The run is built ahead of its job: it waits behind its walls. Its parent (init, or the monitor where
there is none) reports to the supervisor over a socket that the run cannot reach, one JSON object a
message:

    {"started": pid}  {"jailed": abi} or {"setup_error": text}  {"ended": {...}}
    {"file": name, ...} with the open file, for each that is offered  {"left": n}

Its end of file means that the slot can be used again.
"""

from __future__ import annotations

import array
import json
import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from executor.exceptions import JailError
from executor.jail import filesystem, folders, syscalls, walls

SWEEP_S = 3.0


@dataclass(frozen=True)
class Ends:
    """The run's ends of the pipes and sockets between it and the supervisor."""

    stdout: int
    stderr: int
    status: int  # the monitor's reports
    kill: int  # its end of file says "end it now"; the supervisor's death closes it too
    order: int  # where the run receives its job


@dataclass(frozen=True)
class JailedWork:
    """What the jailed process does, behind its walls."""

    wake: Callable[[], None]  # before its job comes: initialising a GPU takes seconds
    # With its job, and the page for the time of its imports; it never returns.
    run: Callable[[dict[str, Any], int], NoReturn]


class ChildExitPipe:
    """A pipe that becomes readable when a child ends. (A pidfd would do, but gVisor has none.)"""

    def __init__(self) -> None:
        self.fds = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.fds[1], warn_on_full_buffer=False)

    def wait(self, others: list[int], timeout_s: float | None = None) -> list[int]:
        """Wait until a child ends or another descriptor is readable; return the readable ones."""
        ready = select.select([self.fds[0], *others], [], [], timeout_s)[0]
        if self.fds[0] in ready:
            os.read(self.fds[0], 4096)
        return ready


def send(status: int, fd: int | None = None, **words: object) -> None:
    """Send one message to the supervisor, with an open file where there is one."""
    with socket.socket(fileno=os.dup(status)) as s:
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd or 0]))
        s.sendmsg([json.dumps(words).encode()], [rights] if fd is not None else [])


def watch(cell: walls.Cell, ends: Ends, work: JailedWork) -> NoReturn:
    """Be the monitor: build the run, wait for its end or the order to end it, sweep, report.

    Args:
        cell: the walls.
        ends: the pipes and sockets that lead to the supervisor.
        work: what the jailed process does.
    """
    try:
        os.setsid()
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        send(ends.status, started=os.getpid())
        child_exits = ChildExitPipe()
        if cell.tier is walls.Tier.NAMESPACES:
            init = _start_init(cell, ends, work)
            syscalls.close_all_but(ends.status, ends.kill, *child_exits.fds)
            _wait_for_init(init, ends, child_exits)
        else:
            child = os.fork()
            if child == 0:
                _be_jailed(cell, ends, work)
            syscalls.close_all_but(ends.status, ends.kill, *child_exits.fds)
            _follow_run(cell, child, ends, child_exits)
    except (JailError, OSError) as e:
        send(ends.status, setup_error=f"the jail ({cell.tier}) could not be built: {e}")
    finally:
        os._exit(0)


# -- pid 1 of the run's own pid namespace ----------------------------------------------------


def _start_init(cell: walls.Cell, ends: Ends, work: JailedWork) -> int:
    syscalls.unshare(
        syscalls.CLONE_NEWPID
        | syscalls.CLONE_NEWNET
        | syscalls.CLONE_NEWIPC
        | syscalls.CLONE_NEWUTS
    )
    filesystem.bring_loopback_up()
    socket.sethostname("localhost")  # gloo looks its own host name up, and our machine's is private
    init = os.fork()
    if init == 0:
        _be_init(cell, ends, work)
    return init


def _be_init(cell: walls.Cell, ends: Ends, work: JailedWork) -> NoReturn:
    """Be pid 1 of the run's namespace: when it exits, the kernel ends everything in there.

    The run itself must not be pid 1: abort() and ignored signals would behave otherwise than
    outside of a jail.
    """
    code = 0
    try:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        syscalls.unshare(syscalls.CLONE_NEWNS)  # ours alone: the monitor keeps seeing all of /proc
        filesystem.mount_private(cell.limits)
        child_exits = ChildExitPipe()
        child = os.fork()
        if child == 0:
            _be_jailed(cell, ends, work)
        syscalls.close_all_but(ends.status, ends.kill, *child_exits.fds)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        _follow_run(cell, child, ends, child_exits)
    except OSError as e:
        send(ends.status, setup_error=f"the jail ({cell.tier}) could not be built: {e}")
        code = 1
    finally:
        os._exit(code)


def _wait_for_init(init: int, ends: Ends, child_exits: ChildExitPipe) -> None:
    """Wait for init to end; kill it if it does not end when told to."""
    stopping = False
    while (ended := _reap(init)) is None:
        ready = child_exits.wait([] if stopping else [ends.kill], SWEEP_S if stopping else None)
        if stopping and not ready:
            os.kill(init, signal.SIGKILL)
        stopping = stopping or ends.kill in ready
    if ended["signal"] is not None:  # init was killed, so it reported nothing
        send(ends.status, ended={"code": None, "signal": "SIGKILL"})
        send(ends.status, left=0)  # the kernel ended the namespace before init


# -- the run ---------------------------------------------------------------------------------


def _be_jailed(cell: walls.Cell, ends: Ends, work: JailedWork) -> NoReturn:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        abi, victim = walls.enter(
            cell, ends.stdout, ends.stderr, keep_open=(ends.status, ends.order)
        )
        work.wake()
        send(ends.status, jailed=abi)
        order, page = _receive_job(ends.order)
        walls.begin(order["wall_s"], cell.limits.imports_s, victim)
        folders.furnish(cell.work, order.pop("files"))
        os.close(ends.order)
        os.close(ends.status)
    except BaseException as e:
        send(ends.status, setup_error=str(e) or type(e).__name__)
        os._exit(70)
    try:
        work.run(order, page)
    except BaseException:  # an error of ours: the runner catches the snippet's
        traceback.print_exc()
    finally:
        os._exit(70)


def _receive_job(order: int) -> tuple[dict[str, Any], int]:
    """Read the job from a memory file, whose descriptor comes through the socket, and a page's."""
    with socket.socket(fileno=os.dup(order)) as s:
        word, fds, _, _ = socket.recv_fds(s, 16, 2)
    if not word:
        os._exit(0)  # no job will come: the slot was closed
    with os.fdopen(fds[0], "rb") as f:
        f.seek(0)
        words: dict[str, Any] = json.load(f)
        return words, fds[1]


# -- its end ---------------------------------------------------------------------------------


def _follow_run(cell: walls.Cell, child: int, ends: Ends, child_exits: ChildExitPipe) -> None:
    """Wait for the run's end or the order to end it; then sweep, offer its files, wipe."""
    stopping = False
    while (ended := _reap(child)) is None:
        if ends.kill in child_exits.wait([] if stopping else [ends.kill]):
            stopping = True
            _end(child)
    send(ends.status, ended=ended)
    left = _sweep(cell)
    if left:
        send(ends.status, left=left)
        return
    if cell.uid is not None:  # whatever lies in the folders is opened with the run's own rights
        os.setgroups([])
        os.setresgid(cell.uid, cell.uid, cell.uid)
        os.setresuid(cell.uid, cell.uid, cell.uid)
    for offer, fd in folders.offers(cell.work, cell.report, cell.limits):
        send(ends.status, fd, **offer)
        if fd is not None:
            os.close(fd)
    if cell.tier is not walls.Tier.NAMESPACES:  # there, everything vanishes with the mounts
        try:
            folders.wipe_all(cell.folders, cell.shared, cell.uid)
        except OSError as e:
            send(ends.status, left=0, unclean=str(e))
            return
    send(ends.status, left=0)


def _reap(child: int) -> dict[str, object] | None:
    """Reap every ended process; return how the child ended, or None if it has not."""
    ended = None
    while True:
        try:
            pid, wait_status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        if pid == child:
            ended = _ending(wait_status, usage)


def _ending(wait_status: int, usage: Any) -> dict[str, object]:
    code = os.waitstatus_to_exitcode(wait_status)
    return {
        "code": code if code >= 0 else None,
        "signal": _signal_name(-code) if code < 0 else None,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_memory_bytes": usage.ru_maxrss * 1024,
    }


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIG{number}"


def _sweep(cell: walls.Cell) -> int:
    """End every process the run left behind; return how many could not be ended."""
    deadline = time.monotonic() + SWEEP_S
    while True:
        if cell.tier is walls.Tier.NAMESPACES:
            left = _kill_namespace()
        else:
            if cell.uid is not None:
                _kill_all_of(cell.uid)
            for pid in _children():
                _end(pid)
            _reap(0)
            left = len(_children()) + (len(processes_of(cell.uid)) if cell.uid else 0)
        if left == 0 or time.monotonic() > deadline:
            return left
        time.sleep(0.002)


def _kill_namespace() -> int:
    """As pid 1, kill everything in the namespace in one atomic pass; 1 while something is alive."""
    if os.getpid() != 1:  # anywhere else "everything" would be the whole machine
        return 1
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return 1
    except ChildProcessError:
        return 0


def _kill_all_of(uid: int) -> None:
    """Kill every process of the user in one atomic pass, which a fork bomb cannot outrun."""
    helper = os.fork()
    if helper == 0:
        try:
            os.setresuid(uid, uid, uid)
            if os.getresuid() == (uid, uid, uid) and uid != 0:  # as root it would end the machine
                os.kill(-1, signal.SIGKILL)  # all that this user may signal, the helper excepted
        finally:
            os._exit(0)
    os.waitpid(helper, 0)


def _end(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # it leads no group (yet), or is gone


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


def _children() -> list[int]:
    """Our children; orphans of the run become ours, since we are its subreaper."""
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [int(pid) for pid in text.split()]
