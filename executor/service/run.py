"""Follow one run from the supervisor: its pipes, its time, its memory.

The run is built ahead (`Run(...)`, `wait_until_built`), gets its job (`go`), is followed to its end
(`follow`) and removed (`close`). `verdict.py` turns what was seen into a JobResult.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from executor.exceptions import ServerGoneError
from executor.jail.import_time import shared_page
from executor.jail.monitor import SWEEP_S
from executor.jail.walls import Cell, cpu_seconds
from executor.protocol import Job, Limit, Outcome
from executor.service.clock import RunClock
from executor.service.memory import oom_kills, used_by
from executor.service.outputs import Collected, Stream
from executor.service.users import end_all_of

_POLL_S = 0.02  # how often memory and clock are checked; output and the end are seen at once
_BUILD_S = 30.0
_GIVE_UP_S = SWEEP_S + 2  # a monitor that needs longer cannot end its run


class Run:
    """One run, from the building of its jail to the last message of its monitor."""

    def __init__(
        self, cell: Cell, build: Callable[[Cell, Sequence[int]], None], baseline: int
    ) -> None:
        """Ask the warm server to build the run.

        Args:
            cell: the walls.
            build: `WarmServer.build`.
            baseline: bytes that it shares with the warm server.

        Raises:
            ServerGoneError: the server is dead.
        """
        self.cell = cell
        self.jailed: int | None = None
        self.ended: dict[str, Any] | None = None
        self.left: int | None = None  # processes that could not be ended; None: not reported yet
        self.unclean = ""
        self.setup_error = ""
        self.verdict: Outcome | None = None
        self.limit: Limit | None = None
        self.seconds = 0.0
        self.monitor: int | None = None
        self.stdout, self.stderr = Stream(cell.limits), Stream(cell.limits)
        self.collected = Collected(cell.limits, {})
        self.ooms = 0
        self.cpu_s = 0
        self._baseline = baseline
        self._began: float | None = None
        self._import_time = -1
        self._out, out_w = os.pipe2(os.O_CLOEXEC)
        self._err, err_w = os.pipe2(os.O_CLOEXEC)
        kill_r, self._kill = os.pipe2(os.O_CLOEXEC)
        self._status, status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._order, order = socket.socketpair()
        self._status.setblocking(False)
        self._pipes = selectors.DefaultSelector()
        for fd, take in ((self._out, self.stdout.add), (self._err, self.stderr.add)):
            os.set_blocking(fd, False)
            self._pipes.register(fd, selectors.EVENT_READ, take)
        self._pipes.register(self._status, selectors.EVENT_READ)
        try:
            build(cell, (out_w, err_w, status.fileno(), kill_r, order.fileno()))
        except ServerGoneError:
            self.close()
            raise
        finally:
            for fd in (out_w, err_w, kill_r):
                os.close(fd)
            status.close()
            order.close()

    # -- before its job ----------------------------------------------------------------------

    def wait_until_built(self) -> None:
        """Wait until the run is behind its walls.

        Raises:
            ServerGoneError: it could not be built; `setup_error` says why, if that was reported.
        """
        give_up = time.monotonic() + _BUILD_S
        while self.jailed is None:
            self._listen(_POLL_S)
            if self.setup_error or self._over or time.monotonic() > give_up:
                raise ServerGoneError(self.setup_error or "the run's jail was not built in time")

    def still_waits(self) -> bool:
        """Whether it can take a job."""
        self._listen(0)
        return self.ended is None and not self._over and not self.setup_error

    # -- its job -----------------------------------------------------------------------------

    def go(self, job: Job) -> None:
        """Give the run its job and start the clock.

        Raises:
            ServerGoneError: it is dead.
        """
        self.collected = Collected(self.cell.limits, {f.name: f.base64 for f in job.files})
        paper = os.memfd_create("order", os.MFD_CLOEXEC)
        try:
            with open(paper, "wb", closefd=False) as f:
                f.write(job.model_dump_json().encode())
            self.ooms = oom_kills()
            self._began = time.monotonic()
            self.cpu_s = cpu_seconds(job.wall_s, self.cell.limits.imports_s)
            self._import_time = page = shared_page()
            self._clock = RunClock(job, self._began, page, self.cell.limits.imports_s)
            socket.send_fds(self._order, [b"go"], [paper, page])
        except OSError as e:
            raise ServerGoneError("the run is gone") from e
        finally:
            os.close(paper)

    def follow(self, cancel: threading.Event | None) -> None:
        """Follow the run until all its processes are gone; end it when it exceeds a limit."""
        assert self._began is not None
        give_up: float | None = None
        next_look = 0.0
        while self.left is None and not self._over:
            self._listen(_POLL_S)
            now = time.monotonic()
            if give_up is None:
                if now >= next_look:
                    next_look = now + _POLL_S
                    self._look_at_memory()
                self._judge(now, cancel)
                if self.ended is not None or self.verdict is not None:
                    self.seconds = now - self._began
                    give_up = now + _GIVE_UP_S
                if self.verdict is not None:
                    self._say_end()
            elif now > give_up:
                break
        for fd, stream in ((self._out, self.stdout), (self._err, self.stderr)):
            while data := _read(fd):
                stream.add(data)

    def _judge(self, now: float, cancel: threading.Event | None) -> None:
        if self.ended is not None:
            return
        limits = self.cell.limits
        if self.stdout.total + self.stderr.total > limits.output_bytes:
            self._decide(Outcome.OUTPUT_LIMIT, "output_bytes", limits.output_bytes)
        elif (time_limit := self._clock.exceeded(now, self.monitor)) is not None:
            self.verdict, self.limit = Outcome.TIMEOUT, time_limit
        elif cancel is not None and cancel.is_set():
            self._decide(Outcome.KILLED, "cancelled", 0)

    def _look_at_memory(self) -> None:
        limit = self.cell.limits.memory_bytes
        if self.monitor is None or self.ended is not None:
            return
        on_gpu = self.cell.gpu is not None
        if used_by(self.monitor, self._baseline, limit, on_gpu=on_gpu) > limit:
            self._decide(Outcome.OUT_OF_MEMORY, "memory_bytes", limit)

    def _decide(self, outcome: Outcome, limit: str, value: float) -> None:
        self.verdict, self.limit = outcome, Limit(name=limit, value=value)

    # -- what comes through the pipes --------------------------------------------------------

    def _listen(self, timeout_s: float) -> None:
        for key, _ in self._pipes.select(timeout_s):
            if key.fileobj is self._status:
                while not self._over and self._hear():
                    pass
            elif data := _read(key.fd):
                key.data(data)
            elif data == b"":
                self._pipes.unregister(key.fd)

    @property
    def _over(self) -> bool:
        return self._status not in self._pipes.get_map()

    def _hear(self) -> bool:
        """Read one message of the monitor; return whether there may be more."""
        try:
            text, fds, _, _ = socket.recv_fds(self._status, 1 << 16, 1, socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return False
        except OSError:
            text, fds = b"", []
        if not text:
            self._pipes.unregister(self._status)
            return False
        words = json.loads(text)
        if fds:
            self.collected.take(words, fds[0])
        if "skipped" in words:
            self.collected.skipped.append(words["skipped"])
        self.monitor = words.get("started", self.monitor)
        self.jailed = words.get("jailed", self.jailed)
        self.ended = words.get("ended", self.ended)
        self.left = words.get("left", self.left)
        self.unclean = self.unclean or words.get("unclean", "")
        self.setup_error = self.setup_error or words.get("setup_error", "")
        return True

    # -- its end -----------------------------------------------------------------------------

    def _say_end(self) -> None:
        if self._kill >= 0:
            os.close(self._kill)
            self._kill = -1

    def close(self) -> str:
        """End what is left of the run; return what could not be ended as a sentence, or ""."""
        self._say_end()
        self._order.close()
        if self._import_time >= 0:
            os.close(self._import_time)
            self._import_time = -1
        if self.monitor is not None:
            self._wait_for_silence(_GIVE_UP_S)
            if not self._over:  # stopped or stuck: its init dies with it
                _kill(self.monitor)
                self._wait_for_silence(_GIVE_UP_S)
        silent = self._over or self.monitor is None
        self._pipes.close()
        self._status.close()
        for fd in (self._out, self._err):
            os.close(fd)
        _reap(self.monitor)
        if not silent:
            return "a run's monitor does not end"
        if self.left:
            return f"{self.left} processes of a run could not be ended"
        # The monitor itself switched to that user for its last steps; it may still be exiting.
        uid = self.cell.uid
        if uid is not None and (alive := end_all_of(uid, _GIVE_UP_S, but=self.monitor)):
            return f"{len(alive)} processes of a run are still there"
        return f"a run's folders could not be wiped: {self.unclean}" if self.unclean else ""

    def _wait_for_silence(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self._over and time.monotonic() < until:
            self._listen(_POLL_S)


def _read(fd: int) -> bytes | None:
    """Bytes from a pipe; b"" at its end, None when there are none yet."""
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return None


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _reap(pid: int | None) -> None:
    """Reap a monitor whose server died, if this process is its subreaper or pid 1."""
    try:
        if pid is not None:
            os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass  # the server's, or somebody else's
