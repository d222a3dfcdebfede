"""Watch over one run: start it behind its walls, end it when told, leave nothing of it alive.

    warm server ─fork─▶ monitor ─fork─▶ (namespaces: init, pid 1 ─fork─▶) run

The run is built ahead of its job: it stands behind its walls and waits for the order. Whoever is
its parent (init, or the monitor where there is none) tells the supervisor what happened, over a
socket that the run cannot reach, one JSON object a message:

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
    """Our ends of the pipes and sockets between supervisor and run."""

    stdout: int
    stderr: int
    status: int  # where we report
    kill: int  # its end of file says "end it now"; the supervisor's death closes it too
    order: int  # where the run receives its job


@dataclass(frozen=True)
class JailedWork:
    """What the jailed process does, behind its walls."""

    wake: Callable[[], None]  # while it waits for its job: a GPU takes its time
    run: Callable[[dict[str, Any]], NoReturn]  # with its job; it never returns


class Bell:
    """Rings when a child ends. (A pidfd would do, but gVisor has none.)"""

    def __init__(self) -> None:
        self.fds = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.fds[1], warn_on_full_buffer=False)

    def wait(self, others: list[int], timeout_s: float | None = None) -> list[int]:
        """Until a child ends or one of the others is readable; what is."""
        ready = select.select([self.fds[0], *others], [], [], timeout_s)[0]
        if self.fds[0] in ready:
            os.read(self.fds[0], 4096)
        return ready


def say(status: int, fd: int | None = None, **words: object) -> None:
    """Send one message to the supervisor, with an open file where there is one."""
    with socket.socket(fileno=os.dup(status)) as s:
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd or 0]))
        s.sendmsg([json.dumps(words).encode()], [rights] if fd is not None else [])


def watch(cell: walls.Cell, ends: Ends, work: JailedWork) -> NoReturn:
    """Be the monitor: build the run, wait for its end or for the word to end it, sweep, report.

    Args:
        cell: the walls.
        ends: the way to the supervisor.
        work: what the jailed process does.
    """
    try:
        os.setsid()
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        say(ends.status, started=os.getpid())
        bell = Bell()
        if cell.tier is walls.Tier.NAMESPACES:
            init = _start_init(cell, ends, work)
            syscalls.close_all_but(ends.status, ends.kill, *bell.fds)
            _outlive(init, ends, bell)
        else:
            child = os.fork()
            if child == 0:
                _be_jailed(cell, ends, work)
            syscalls.close_all_but(ends.status, ends.kill, *bell.fds)
            _see_through(cell, child, ends, bell)
    except (JailError, OSError) as e:
        say(ends.status, setup_error=f"the jail ({cell.tier}) could not be built: {e}")
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
    """When this process exits, the kernel ends everything in the namespace.

    The run itself must not be pid 1: abort() and ignored signals would behave unlike at home.
    """
    code = 0
    try:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        syscalls.unshare(syscalls.CLONE_NEWNS)  # ours alone: the monitor keeps seeing all of /proc
        filesystem.mount_private(cell.limits)
        bell = Bell()
        child = os.fork()
        if child == 0:
            _be_jailed(cell, ends, work)
        syscalls.close_all_but(ends.status, ends.kill, *bell.fds)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        _see_through(cell, child, ends, bell)
    except OSError as e:
        say(ends.status, setup_error=f"the jail ({cell.tier}) could not be built: {e}")
        code = 1
    finally:
        os._exit(code)


def _outlive(init: int, ends: Ends, bell: Bell) -> None:
    """Wait for init; end it ourselves when it does not do as it is told."""
    told = False
    while (ended := _reap(init)) is None:
        ready = bell.wait([] if told else [ends.kill], SWEEP_S if told else None)
        if told and not ready:
            os.kill(init, signal.SIGKILL)
        told = told or ends.kill in ready
    if ended["signal"] is not None:  # it could not say it itself
        say(ends.status, ended={"code": None, "signal": "SIGKILL"})
        say(ends.status, left=0)  # the kernel saw to it, before init could be waited for


# -- the run ---------------------------------------------------------------------------------


def _be_jailed(cell: walls.Cell, ends: Ends, work: JailedWork) -> NoReturn:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        abi, victim = walls.enter(
            cell, ends.stdout, ends.stderr, keep_open=(ends.status, ends.order)
        )
        work.wake()
        say(ends.status, jailed=abi)
        order = _receive(ends.order)
        walls.begin(order["wall_s"], victim)
        folders.furnish(cell.work, order.pop("files"))
        os.close(ends.order)
        os.close(ends.status)
    except BaseException as e:
        say(ends.status, setup_error=str(e) or type(e).__name__)
        os._exit(70)
    try:
        work.run(order)
    except BaseException:  # ours: the snippet's own never come this far
        traceback.print_exc()
    finally:
        os._exit(70)


def _receive(order: int) -> dict[str, Any]:
    """The job, from a memory file whose descriptor comes through the socket."""
    with socket.socket(fileno=os.dup(order)) as s:
        word, fds, _, _ = socket.recv_fds(s, 16, 1)
    if not word:
        os._exit(0)  # no job will come: the slot was closed
    with os.fdopen(fds[0], "rb") as f:
        f.seek(0)
        words: dict[str, Any] = json.load(f)
        return words


# -- its end ---------------------------------------------------------------------------------


def _see_through(cell: walls.Cell, child: int, ends: Ends, bell: Bell) -> None:
    """Wait for the run's end or the word to end it; then sweep, offer its files, wipe."""
    told = False
    while (ended := _reap(child)) is None:
        if ends.kill in bell.wait([] if told else [ends.kill]):
            told = True
            _end(child)
    say(ends.status, ended=ended)
    left = _sweep(cell)
    if left:
        say(ends.status, left=left)
        return
    if cell.uid is not None:  # whatever lies in the folders is opened with the run's own rights
        os.setgroups([])
        os.setresgid(cell.uid, cell.uid, cell.uid)
        os.setresuid(cell.uid, cell.uid, cell.uid)
    for offer, fd in folders.offers(cell.work, cell.report, cell.limits):
        say(ends.status, fd, **offer)
        if fd is not None:
            os.close(fd)
    if cell.tier is not walls.Tier.NAMESPACES:  # there, everything vanishes with the mounts
        try:
            folders.wipe_all(cell.folders, cell.shared, cell.uid)
        except OSError as e:
            say(ends.status, left=0, unclean=str(e))
            return
    say(ends.status, left=0)


def _reap(child: int) -> dict[str, object] | None:
    """Reap what has ended; how the child ended, if it is among them."""
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
    """End whatever the run left behind; the number of processes that would not go."""
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
    """As pid 1: one atomic pass over everything in here; 1 while something is still going."""
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
    """One atomic pass over every process of the user: a fork bomb cannot outrun it."""
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
