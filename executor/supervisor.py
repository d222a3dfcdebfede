"""Owns the clock, the pipes and the verdict: hands jobs to the warm server and says how they ended.

It never imports torch and never reads more into a snippet's output than bytes. Everything here is
blocking; `app.py` calls it from threads, one per slot.
"""

from __future__ import annotations

import base64
import json
import os
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from executor.errors import StartError
from executor.filesystem import SHARED
from executor.jail import Cell, Tier
from executor.job import (
    REPORT,
    SNIPPET,
    Environment,
    Exit,
    Isolation,
    Job,
    JobResult,
    Limit,
    Outcome,
    Report,
)
from executor.limits import Limits
from executor.memory import anonymous_bytes, oom_kills, used_by
from executor.outputs import Stream, collect, read_capped

_POLL_S = 0.02
_START_S = 120.0
_SWEEP_S = 10.0  # a monitor that needs longer than this has lost its run


@dataclass(frozen=True)
class Settings:
    """How the executor is set up.

    Settings()                              # the strongest tier here, a slot per core
    Settings(tier="uid", slots=1)
    """

    tier: Literal["auto", "process", "uid", "namespaces"] = "auto"
    slots: int = field(default_factory=lambda: os.cpu_count() or 1)
    queue: int = 32  # jobs that may wait; one more is told to come back
    limits: Limits = field(default_factory=Limits)
    preload: tuple[str, ...] = ()  # modules that every run finds imported, beside torch
    readable: tuple[Path, ...] = ()  # what every run may read, beside Python and the system
    runs_per_server: int = 200  # then a fresh one: same address layout in every fork


@dataclass(frozen=True)
class Ready:
    """What the warm server said of itself."""

    tier: Tier
    pid: int
    landlock_abi: int
    torch: str
    cuda: str | None
    python: str


class Supervisor:
    """Slots, and the warm server behind them. `start` before `run`, `close` at the end."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ready: Ready | None = None
        self.refused_tiers: dict[str, str] = {}  # tier → why it is not available here
        self._scratch = Path(tempfile.mkdtemp(prefix="torchmedic-executor-"))
        self._scratch.chmod(0o711)
        (self._scratch / "root").mkdir()
        self._slots_folder = self._scratch / "slots"
        self._slots_folder.mkdir(mode=0o711)
        self._uid_base = 100_000 + (os.getpid() % 65_536) * 32
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._runs = 0
        self._free = list(range(settings.slots))
        self._slots = threading.Semaphore(settings.slots)
        self._unhealthy: dict[int, str] = {}

    # -- the warm server ---------------------------------------------------------------------

    def start(self) -> Ready:
        """Start the warm server in the strongest tier that works here.

        Raises:
            StartError: none works, or the one asked for does not.
        """
        with self._lock:
            return self._start()

    def _start(self) -> Ready:
        if self.ready is not None:
            tiers = [self.ready.tier]
        elif self.settings.tier == "auto":
            tiers = [Tier.NAMESPACES, Tier.UID, Tier.PROCESS]
        else:
            tiers = [Tier(self.settings.tier)]
        for tier in tiers:
            try:
                self.ready = self._start_in(tier)
                return self.ready
            except StartError as e:
                self.refused_tiers[tier] = str(e)
        reasons = "; ".join(f"{t}: {why}" for t, why in self.refused_tiers.items())
        raise StartError(f"the executor cannot start its jail here. {reasons}")

    def _start_in(self, tier: Tier) -> Ready:
        if tier is Tier.UID and os.geteuid() != 0:
            raise StartError("giving each run a user of its own needs root")
        self._stop_server()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        setup = {
            "tier": tier,
            "shared": str(self._slots_folder),
            "root": str(self._scratch / "root"),
            "readable": [str(p) for p in self._readable()],
            "preload": self.settings.preload,
        }
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-P", "-m", "executor.server", str(theirs.fileno()),
                 json.dumps(setup)],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=_server_environment(),
            )  # fmt: skip
        ours.settimeout(_START_S)
        try:
            hello = json.loads(ours.recv(65536) or b'{"failed": "it stopped without a word"}')
        except TimeoutError:
            hello = {"failed": f"no word from it in {_START_S:.0f} s"}
        if "failed" in hello:
            ours.close()
            self._stop_server()
            raise StartError(hello["failed"])
        ours.settimeout(None)
        self._control, self._runs = ours, 0
        return Ready(
            tier=tier, pid=hello["pid"], landlock_abi=hello["landlock_abi"], torch=hello["torch"],
            cuda=hello["cuda"], python=hello["python"],
        )  # fmt: skip

    def _readable(self) -> list[Path]:
        ours = Path(__file__).parent
        return [Path(sys.base_prefix), Path(sys.prefix), ours, *self.settings.readable]

    def _stop_server(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None

    def close(self) -> None:
        """Stop the server and remove every trace on disk."""
        with self._lock:
            self._stop_server()
        _wipe(self._scratch)

    @property
    def unhealthy_slots(self) -> dict[int, str]:
        """Slots that take no more jobs, and why."""
        return dict(self._unhealthy)

    def alive(self) -> bool:
        """Whether the warm server is up."""
        return self._server is not None and self._server.poll() is None

    # -- one run -----------------------------------------------------------------------------

    def run(self, job: Job, cancel: threading.Event | None = None) -> JobResult:
        """Run a job in a free slot, waiting for one. Never raises for what a snippet does.

        Args:
            job: what to run.
            cancel: set it to end the run early (the client is gone).
        """
        if job.device == "cuda":
            return _not_run(
                Outcome.UNAVAILABLE,
                "this executor has no GPU; start it on a GPU machine, or ask for device cpu",
            )
        with self._slots:
            with self._lock:
                slot = self._free.pop()
            try:
                result = self._attempt(job, slot, cancel)
                if result is None:  # the server died under it: once more, on a fresh one
                    result = self._attempt(job, slot, cancel)
                return result or _not_run(
                    Outcome.SETUP_ERROR, "the warm server died twice while starting this run"
                )
            finally:
                with self._lock:
                    self._free.append(slot)

    def _attempt(self, job: Job, slot: int, cancel: threading.Event | None) -> JobResult | None:
        try:
            ready = self._fresh_server()
        except StartError as e:
            return _not_run(Outcome.SETUP_ERROR, str(e))
        cell = self._cell(slot, job, ready)
        folder = self._slots_folder / f"slot{slot}"  # the cell's home, as seen from out here
        try:
            _furnish(folder, cell.uid, job)
            watched = _Watched(cell, folder, cancel, baseline=anonymous_bytes(ready.pid))
            watched.hand_over(job, self._send)
            watched.wait()
        except BrokenPipeError:
            return None
        except OSError as e:
            return _not_run(Outcome.SETUP_ERROR, f"the run's folder could not be made: {e}")
        if watched.left:
            self._unhealthy[slot] = f"{watched.left} processes of a run could not be ended"
        if not watched.ended and not watched.setup_error and not watched.verdict:
            return None
        try:
            return watched.result(ready, _isolation(cell, ready))
        finally:
            _wipe(folder)

    def _fresh_server(self) -> Ready:
        with self._lock:
            worn_out = self._runs >= self.settings.runs_per_server
            if self.ready is None or not self.alive() or worn_out:
                self._start()
            self._runs += 1
            assert self.ready is not None
            return self.ready

    def _send(self, fds: Sequence[int]) -> None:
        with self._lock:
            if self._control is None:
                raise BrokenPipeError
            try:
                socket.send_fds(self._control, [b"run"], fds)
            except (ConnectionError, OSError) as e:
                raise BrokenPipeError from e

    def _cell(self, slot: int, job: Job, ready: Ready) -> Cell:
        own_user = os.geteuid() == 0 and ready.tier is not Tier.PROCESS
        return Cell(
            tier=ready.tier,
            home=(SHARED if ready.tier is Tier.NAMESPACES else self._slots_folder) / f"slot{slot}",
            uid=self._uid_base + slot if own_user else None,
            readable=tuple(self._readable()),
            internet=ready.tier is Tier.NAMESPACES or _only_loopback(),
            wall_s=job.wall_s,
            limits=self.settings.limits,
        )


@dataclass
class _Watched:
    """One run as the supervisor sees it: pipes, clock, memory; then the verdict."""

    cell: Cell
    folder: Path
    cancel: threading.Event | None
    baseline: int  # memory that the server itself holds, shared with every fork
    stdout: Stream = field(init=False)
    stderr: Stream = field(init=False)
    monitor: int | None = None
    jailed: int | None = None
    ended: dict[str, Any] | None = None
    left: int = 0
    setup_error: str = ""
    verdict: Outcome | None = None
    limit: Limit | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.stdout, self.stderr = Stream(self.cell.limits), Stream(self.cell.limits)
        self._status_text = b""

    def hand_over(self, job: Job, send: Any) -> None:
        """Give the order and our ends of the pipes to the server."""
        self._out_r, out_w = os.pipe2(os.O_CLOEXEC)
        self._err_r, err_w = os.pipe2(os.O_CLOEXEC)
        self._status_r, status_w = os.pipe2(os.O_CLOEXEC)
        kill_r, self._kill_w = os.pipe2(os.O_CLOEXEC)
        order = os.memfd_create("order")
        with open(order, "wb", closefd=False) as f:
            words = {"job": job.model_dump(mode="json", exclude={"files"}),
                     "cell": self.cell.to_json()}  # fmt: skip
            f.write(json.dumps(words).encode())
        os.lseek(order, 0, os.SEEK_SET)
        self._ooms = oom_kills()
        self._began = time.monotonic()
        theirs = (order, out_w, err_w, status_w, kill_r)
        try:
            send(theirs)
        except BrokenPipeError:
            for fd in (self._out_r, self._err_r, self._status_r, self._kill_w):
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)

    def wait(self) -> None:
        """Follow the run until its monitor says that nothing of it is left."""
        deadline = self._began + self.cell.wall_s
        give_up: float | None = None
        with selectors.DefaultSelector() as pipes:
            for fd, take in ((self._out_r, self.stdout.add), (self._err_r, self.stderr.add),
                             (self._status_r, self._on_status)):  # fmt: skip
                os.set_blocking(fd, False)
                pipes.register(fd, selectors.EVENT_READ, take)
            open_status = True
            next_look = 0.0
            while open_status:
                for key, _ in pipes.select(_POLL_S):
                    data = _read(key.fd)
                    if data:
                        key.data(data)
                    elif data == b"":
                        pipes.unregister(key.fd)
                        open_status = open_status and key.fd != self._status_r
                now = time.monotonic()
                if give_up is None:
                    if now >= next_look:
                        next_look = now + _POLL_S
                        self._look_at_memory()
                    self._judge(now, deadline)
                    if self.verdict is not None:
                        os.close(self._kill_w)
                        give_up = now + _SWEEP_S
                elif now > give_up:
                    self.left = self.left or 1
                    break
            self.seconds = time.monotonic() - self._began
            for fd, stream in ((self._out_r, self.stdout), (self._err_r, self.stderr)):
                while data := _read(fd):
                    stream.add(data)
        if give_up is None:
            os.close(self._kill_w)
        for fd in (self._out_r, self._err_r, self._status_r):
            os.close(fd)

    def _judge(self, now: float, deadline: float) -> None:
        limits = self.cell.limits
        if self.ended is not None:
            return
        if self.stdout.total + self.stderr.total > limits.output_bytes:
            self._end(Outcome.OUTPUT_LIMIT, "output_bytes", limits.output_bytes)
        elif now >= deadline:
            self._end(Outcome.TIMEOUT, "wall_s", self.cell.wall_s)
        elif self.cancel is not None and self.cancel.is_set():
            self._end(Outcome.KILLED, "cancelled", 0)

    def _look_at_memory(self) -> None:
        limit = self.cell.limits.memory_bytes
        if self.monitor is None or self.ended is not None or self.verdict is not None:
            return
        if used_by(self.monitor, self.baseline, limit) > limit:
            self._end(Outcome.OUT_OF_MEMORY, "memory_bytes", limit)

    def _end(self, outcome: Outcome, limit: str, value: float) -> None:
        self.verdict, self.limit = outcome, Limit(name=limit, value=value)

    def _on_status(self, data: bytes) -> None:
        *lines, self._status_text = (self._status_text + data).split(b"\n")
        for line in lines:
            words = json.loads(line)
            self.monitor = words.get("started", self.monitor)
            self.jailed = words.get("jailed", self.jailed)
            self.ended = words.get("ended", self.ended)
            self.left = words.get("left", self.left)
            self.setup_error = self.setup_error or words.get("setup_error", "")

    # -- the verdict -------------------------------------------------------------------------

    def result(self, ready: Ready, isolation: Isolation) -> JobResult:
        """The JobResult: outcome from kernel, clock and counters; the rest from the report."""
        ended = self.ended or {}
        how = Exit(code=ended.get("code"), signal=ended.get("signal"))
        outcome, limit = self._outcome(how)
        report, notes = self._report()
        given = {SNIPPET}
        files = collect(self.folder / "work", given, self.cell.limits)
        stderr = self.stderr.text().replace(f"{self.cell.work}/", "")
        return JobResult(
            outcome=outcome,
            exit=how,
            limit=limit,
            stdout=self.stdout.text().replace(f"{self.cell.work}/", ""),
            stderr=stderr,
            dropped_bytes=self.stdout.dropped + self.stderr.dropped,
            error=report.error if outcome is Outcome.ERROR else None,
            caught=report.caught,
            handlers=report.handlers,
            warnings=report.warnings,
            frames=report.frames,
            autograd=report.autograd,
            findings=report.findings,
            assumptions=report.assumptions,
            undefined=report.undefined,
            values=report.values,
            calls=report.calls,
            trained=report.trained,
            moved=report.moved,
            files=files,
            env=report.env
            if report.env.python
            else Environment(torch=ready.torch, python=ready.python, cuda=ready.cuda),
            seconds=self.seconds,
            cpu_seconds=ended.get("cpu_seconds", 0.0),
            peak_memory_bytes=ended.get("peak_memory_bytes", 0),
            isolation=isolation,
            detail=self.setup_error or notes,
        )

    def _outcome(self, how: Exit) -> tuple[Outcome, Limit | None]:
        if self.setup_error:
            return Outcome.SETUP_ERROR, None
        if self.verdict is not None:
            return self.verdict, self.limit
        # Asked before the exit code: the kernel's memory killer ends a run with SIGKILL too.
        if how.signal == "SIGKILL" and oom_kills() > self._ooms:
            return Outcome.OUT_OF_MEMORY, Limit(
                name="machine_memory", value=self.cell.limits.memory_bytes
            )
        if how.signal == "SIGXCPU":
            return Outcome.TIMEOUT, Limit(name="cpu_s", value=self.cell.wall_s)
        if how.signal is not None:
            return Outcome.KILLED, None
        return (Outcome.OK if how.code == 0 else Outcome.ERROR), None

    def _report(self) -> tuple[Report, str]:
        data = read_capped(self.folder / "report" / REPORT, self.cell.limits.report_bytes)
        if data is None:
            return Report(), ""
        try:
            report = Report.model_validate_json(data)
        except ValidationError as e:
            # Only a snippet that wrote its own report gets here.
            return Report(), f"the probes' report was unreadable ({e.error_count()} errors)"
        return report, "; ".join(report.notes)


def _furnish(home: Path, uid: int | None, job: Job) -> None:
    """Make the run's folder, with its attachments, for its user alone."""
    _wipe(home)
    home.mkdir(mode=0o711)
    for folder in (home / "work", home / "report", home / "tmp"):
        folder.mkdir(mode=0o700)
        if uid is not None:
            os.chown(folder, uid, uid)
    for file in job.files:
        name = Path(file.name).name
        if name != file.name or name in {"", ".", "..", SNIPPET}:
            raise OSError(f"the attachment's name {file.name!r} is no plain file name")
        path = home / "work" / name
        with path.open("xb") as f:
            f.write(base64.b64decode(file.base64))
        if uid is not None:
            os.chown(path, uid, uid)


def _wipe(folder: Path) -> None:
    """Remove a folder and all in it. rm, not shutil: 1,000 nested folders break rmtree."""
    if folder.exists() and shutil.which("rm"):
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, capture_output=True)


def _read(fd: int) -> bytes | None:
    """What is there; b"" at the end of the pipe, None when there is nothing yet."""
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return None


def _only_loopback() -> bool:
    return {name for _, name in socket.if_nameindex()} <= {"lo"}


def _server_environment() -> dict[str, str]:
    """Nothing of ours: what is in the server's environment is in every stranger's memory."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "PYTHONIOENCODING": "utf-8:strict",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # asking for a GPU must not initialise CUDA
        "HF_HUB_OFFLINE": "1",
    }


def _isolation(cell: Cell, ready: Ready) -> Isolation:
    network = "none"
    if cell.tier is Tier.NAMESPACES:
        network = "own namespace, loopback only"
    elif cell.internet:
        network = "the container's, loopback only"
    return Isolation(
        tier=cell.tier.value,
        landlock_abi=ready.landlock_abi,
        seccomp=True,
        user=f"uid {cell.uid}" if cell.uid is not None else "as the executor",
        network=network,
    )


def _not_run(outcome: Outcome, detail: str) -> JobResult:
    return JobResult(outcome=outcome, detail=detail)


__all__ = ["Ready", "Settings", "Supervisor"]
