"""The supervisor: takes jobs from the queue and runs them in slots, forked by the warm server.

Each slot keeps one run ready behind its walls, so that a job starts at once. The supervisor
never imports torch and never decodes what a snippet wrote beyond bytes.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from executor.exceptions import ServerGoneError, StartError
from executor.jail import gpu, syscalls
from executor.jail.filesystem import CELL
from executor.jail.folders import wipe, wipe_all
from executor.jail.limits import MIB, Limits
from executor.jail.walls import Cell, Tier
from executor.protocol import SNIPPET, File, Isolation, Job, JobResult, Outcome
from executor.service import selftest
from executor.service.branches import Branches, is_installed, libraries_of
from executor.service.packages import SnippetPackages, snippet_packages
from executor.service.queue import Device, JobQueue, WaitingJob
from executor.service.run import Run
from executor.service.scratch import Scratch, sweep_stale
from executor.service.tiers import candidates, in_gvisor, isolation
from executor.service.users import acting_as, own_users
from executor.service.verdict import not_run, result_of
from executor.service.warm import Ready, Server, WarmServer

_IDLE_LOOK_S = 1.0
_IDLE_S = 5.0  # without any job, until a branch is started ahead


@dataclass(frozen=True)
class SupervisorSettings:
    """How the executor is set up.

    Settings()                              # the strongest tier here, a slot per core
    Settings(tier="uid", slots=1)
    """

    __pydantic_config__ = {"extra": "forbid"}  # an unknown field in the JSON is an error

    tier: Literal["auto", "process", "uid", "namespaces", "gvisor"] = "auto"
    slots: int = field(default_factory=lambda: os.cpu_count() or 1)
    queue: int = 32  # jobs that may wait; one more is refused as busy
    body_bytes: int = 48 * MIB  # of one request: a job, its attachments, their base64
    limits: Limits = field(default_factory=Limits)
    # Whether every run finds torch imported. A server without starts at once, and is for runs that
    # need no torch: then each of them that does imports it.
    torch: bool = True
    preload: tuple[str, ...] = ()  # modules that every run finds imported, beside torch
    readable: tuple[Path, ...] = ()  # what every run may read, beside Python and the system
    snippets: Path | None = None  # the virtual environment of the runs; None: see packages.py
    own_tmp: bool = False  # tier uid: /tmp is used by nobody else, so runs may use it
    gpus: tuple[int, ...] | None = None  # numbers of the GPUs to use; None: all
    runs_per_server: int = 200  # then a fresh one, as all its forks share an address layout
    branches: int = 3  # warm servers with libraries imported that snippets ask for
    ready_with: tuple[str, ...] = ("torchvision",)  # what one of them has before anybody asks


class Supervisor:
    """Slots, and the warm server behind them. `start` before `run`, `close` at the end."""

    def __init__(self, settings: SupervisorSettings) -> None:
        self.settings = settings
        self.ready: Ready | None = None
        self.refused_tiers: dict[str, str] = {}  # tier → why it is not available here
        self.selftest: tuple[selftest.AttackRow, ...] = ()
        self.unhealthy_slots: dict[int, str] = {}  # slot → why it takes no more jobs
        self.outcomes: dict[str, int] = {}
        self.busy_seconds = 0.0
        self.server_starts = 0
        self._server: WarmServer | None = None
        self._server_lock = threading.RLock()
        self._renewing = False
        self._trying = threading.Lock()
        self.branches = Branches(settings.branches, settings.runs_per_server, self._try_walls)
        self.packages = SnippetPackages(Path(sys.prefix))
        self.gpus = gpu.found().only(settings.gpus)
        # Each slot's GPU, if it has one: strangers never share a GPU.
        self._slots: list[int | None] = [None] * settings.slots + [*self.gpus.numbers]
        devices: dict[Device, int] = {"cpu": settings.slots, "cuda": len(self.gpus.numbers)}
        self._line = JobQueue(settings.queue, devices)
        self._change = threading.Lock()
        self._current: list[WaitingJob] = []
        self._closing = False
        self._threads: list[threading.Thread] = []

    # -- start and end -----------------------------------------------------------------------

    def start(self) -> Ready:
        """Start the warm server in the strongest tier that works here, try its walls, open slots.

        Raises:
            StartError: no tier works, an attack of the self-test got through, or the snippets'
                environment is none.
        """
        self.packages = snippet_packages(self.settings.snippets)
        sweep_stale()
        self._scratch = Scratch("executor")
        self._scratch.path.chmod(0o711)
        (self._scratch.path / "root").mkdir()
        self._own_users = self._users()
        try:
            # A monitor whose warm server died is ours to reap.
            syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
            ready = self._choose_tier()
        except BaseException:
            self._scratch.close()
            raise
        for slot in range(len(self._slots)):
            thread = threading.Thread(
                target=self._serve, args=(slot,), name=f"slot{slot}", daemon=True
            )
            thread.start()
            self._threads.append(thread)
        if self.settings.torch and self.settings.ready_with and self.settings.branches:
            threading.Thread(target=self._keep_branch_ready, name="branch", daemon=True).start()
        return ready

    def _users(self) -> range | None:
        """A user number for each slot and the self-test; None without the right to switch users."""
        try:
            return own_users(len(self._slots) + 1) if os.geteuid() == 0 else None
        except LookupError:
            return None

    def _choose_tier(self) -> Ready:
        tiers = candidates() if self.settings.tier == "auto" else [Tier(self.settings.tier)]
        for tier in tiers:
            try:
                self._server = self._start_server(tier)
                return self._server.ready
            except selftest.SelfTestError:
                raise
            except StartError as e:
                self.refused_tiers[tier] = str(e)
        reasons = "; ".join(f"{t}: {why}" for t, why in self.refused_tiers.items())
        raise StartError(f"the executor cannot start its jail here. {reasons}")

    def _start_server(self, tier: Tier) -> WarmServer:
        if tier is Tier.GVISOR and not in_gvisor():
            raise StartError("this kernel is not gVisor's; start the container with runsc")
        if tier in {Tier.UID, Tier.GVISOR} and self._own_users is None:
            raise StartError("giving each run a user of its own needs root and free user numbers")
        root = self._scratch.path / "root"
        server = WarmServer(
            tier,
            root,
            self._readable(),
            self.settings.preload,
            self.packages.python,
            torch=self.settings.torch,
        )
        self.ready = server.ready
        self.server_starts += 1
        try:
            self.selftest = self._try_walls(server)
        except selftest.SelfTestError as e:
            self.selftest = e.rows
            server.stop()
            raise
        except BaseException:
            server.stop()
            raise
        return server

    def _try_walls(self, server: Server) -> tuple[selftest.AttackRow, ...]:
        """Attack the server's jail, as any job could.

        Raises:
            StartError: an attack got through, or the test could not be run.
        """
        with self._trying:  # it has a user of its own, and a folder
            return self._attack(server)

    def _attack(self, server: Server) -> tuple[selftest.AttackRow, ...]:
        cell = self._cell(len(self._slots), server.ready)
        loopback = cell.internet and cell.tier is not Tier.NAMESPACES
        with selftest.Target(server.ready.pid, loopback=loopback) as target:
            run = Run(cell, server.build, 0)
            try:
                run.wait_until_built()
                run.go(selftest.job(target))
                run.follow(None)
            except ServerGoneError as e:
                raise StartError(str(e)) from e
            finally:
                trouble = run.close()
            rows = selftest.rows(run, server.ready.tier, trouble)
        if not all(row.passed for row in rows):
            raise selftest.SelfTestError(rows)
        return rows

    def _readable(self) -> list[Path]:
        ours = Path(__file__).parents[1]
        return [Path(sys.base_prefix), self.packages.prefix, ours, *self.settings.readable]

    def close(self) -> None:
        """Stop everything and remove every trace on disk."""
        with self._change:
            self._closing = True
            for waiting in self._current:
                waiting.cancel.set()
        self._line.close()
        for thread in self._threads:
            thread.join(30)
        self._refuse_waiting("the executor was stopped")
        with self._server_lock:
            self.branches.stop()
            if self._server is not None:
                self._server.stop()
        if hasattr(self, "_scratch"):
            self._scratch.close()

    def alive(self) -> bool:
        """Whether the warm server is up."""
        return self._server is not None and self._server.alive()

    # -- the queue ---------------------------------------------------------------------------

    def run(self, job: Job, cancel: threading.Event | None = None) -> JobResult:
        """Run a job, waiting for its turn. Never raises for what a snippet does.

        Args:
            job: what to run.
            cancel: set it to end the run early (the client is gone).

        Raises:
            ExecutorBusyError: too many are waiting.
        """
        return self.submit(job, cancel or threading.Event()).result()

    def submit(self, job: Job, cancel: threading.Event) -> Future[JobResult]:
        """Put a job into the queue; its result comes later.

        Raises:
            ExecutorBusyError: too many are waiting.
        """
        waiting = WaitingJob(job, cancel)
        if refusal := self._refusal(job):
            waiting.result.set_result(refusal)
            return waiting.result
        self._line.join(waiting)
        return waiting.result

    def _refusal(self, job: Job) -> JobResult | None:
        if job.device == "cuda" and not self.gpus.any:
            return not_run(
                Outcome.UNAVAILABLE,
                "this executor has no GPU; start it on a GPU machine, or ask for device cpu",
            )
        if bad := next((f.name for f in job.files if not _plain(f)), None):
            detail = f"the attachment's name {bad!r} is no plain file name"
            return not_run(Outcome.SETUP_ERROR, detail)
        if reason := self.refuses or self._sick(job.device):
            return not_run(Outcome.SETUP_ERROR, reason)
        return None

    def _device(self, slot: int) -> Device:
        return "cpu" if self._slots[slot] is None else "cuda"

    def _sick(self, device: Device) -> str:
        """Why this device takes no more jobs; empty while one of its slots is healthy."""
        slots = [n for n in range(len(self._slots)) if self._device(n) == device]
        if not slots or any(n not in self.unhealthy_slots for n in slots):
            return ""
        reasons = "; ".join(sorted({self.unhealthy_slots[n] for n in slots}))
        return f"no {device} slot is healthy any more ({reasons}); restart the executor"

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that a job may ask for."""
        return tuple(dict.fromkeys(self._device(n) for n in range(len(self._slots))))

    @property
    def takes_jobs(self) -> bool:
        """Whether a job that comes now would run."""
        return bool(self._threads) and not self.refuses

    @property
    def refuses(self) -> str:
        """Why no job is taken at all; empty while there is a healthy slot."""
        if self._closing:
            return "the executor was stopped"
        sick = [self._sick(device) for device in self.devices]
        return sick[0] if sick and all(sick) else ""

    def position(self, result: Future[JobResult]) -> int | None:
        """How many jobs for its device are ahead of this one; None once it runs."""
        return self._line.position(result)

    @property
    def waiting(self) -> int:
        """Jobs that no slot has taken yet."""
        return len(self._line)

    @property
    def idle(self) -> int:
        """How many slots have a run ready and no job."""
        return self._line.idle

    @property
    def running(self) -> int:
        """How many jobs run now."""
        return len(self._current)

    def _refuse_waiting(self, reason: str, device: Device | None = None) -> None:
        for waiting in self._line.leave(device):
            waiting.result.set_result(not_run(Outcome.SETUP_ERROR, reason))

    # -- a slot ------------------------------------------------------------------------------

    def _serve(self, slot: int) -> None:
        """Loop of a slot: keep a run ready, give it a job, remove it, build the next."""
        branch: Server | None = None  # that the waiting run was forked from; None: the first one
        while True:
            # The next job is often of the same question, and imports the same.
            run = self._build(slot, branch)
            waiting = self._line.take(self._device(slot))
            if waiting is None:
                if isinstance(run, Run):
                    run.close()
                return
            with self._change:
                self._current.append(waiting)
            trouble = ""
            try:
                if (wanted := self._branch_for(waiting.job)) is not branch:
                    branch = wanted
                    trouble = run.close() if isinstance(run, Run) else ""
                    run = self._build(slot, branch)
                run, result = self._do(waiting, run, slot)
            except Exception as e:  # ours, not the snippet's: the job must have its answer
                result = not_run(Outcome.SETUP_ERROR, f"the executor failed: {e!r}")
            self._answer(waiting, result)
            trouble += run.close() if isinstance(run, Run) else ""
            if trouble:
                with self._change:
                    self.unhealthy_slots[slot] = trouble
                if sick := self._sick(self._device(slot)):
                    self._refuse_waiting(sick, self._device(slot))
                return

    def _branch_for(self, job: Job) -> Server | None:
        """The branch that has imported what a job wants; None where the first server will do."""
        first = self._server
        if first is None or job.cold or job.device != "cpu":
            return None
        wanted = libraries_of(f"{job.code}\n{job.program}", is_installed(self.packages.site))
        server = self.branches.server_for(first, wanted)
        return server if server is not first else None

    def _keep_branch_ready(self) -> None:
        """Start the branch that most will want, when nothing has been to do for a while."""
        idle_s = 0.0
        while not self._closing:
            time.sleep(_IDLE_LOOK_S)
            idle = self.running == 0 and self.waiting == 0
            idle_s = idle_s + _IDLE_LOOK_S if idle else 0.0
            if idle_s >= _IDLE_S and self._server is not None and self._server.alive():
                wanted = filter(is_installed(self.packages.site), self.settings.ready_with)
                self.branches.server_for(self._server, frozenset(wanted))

    def _answer(self, waiting: WaitingJob, result: JobResult) -> None:
        with self._change:
            self._current.remove(waiting)
            self.outcomes[result.outcome] = self.outcomes.get(result.outcome, 0) + 1
            self.busy_seconds += result.seconds
        waiting.result.set_result(result)

    def _do(self, waiting: WaitingJob, run: Run | str, slot: int) -> tuple[Run | str, JobResult]:
        """Give the job to the run; if that is dead, to a newly built one, once."""
        for _ in range(2):
            if waiting.cancel.is_set():
                return run, not_run(Outcome.KILLED, "cancelled before it began")
            if isinstance(run, Run) and not run.still_waits():
                run.close()
                run = "it died while it waited"
            if isinstance(run, str):
                run = self._build(slot)
            if isinstance(run, str):
                continue
            try:
                run.go(waiting.job)
                run.follow(waiting.cancel)
            except ServerGoneError:
                continue
            if run.ended is not None or run.setup_error or run.verdict is not None:
                assert self.ready is not None
                return run, result_of(run, self.ready, self._isolation(run.cell))
            run.close()  # its monitor was killed under it
            run = "its monitor was killed"
        why = run if isinstance(run, str) else "the run died twice while it was starting"
        return run, not_run(Outcome.SETUP_ERROR, why)

    def _build(self, slot: int, branch: Server | None = None) -> Run | str:
        """Build a run and wait until it is behind its walls; or a sentence why that failed.

        Args:
            slot: whose run it is.
            branch: the server that forks it; None: the first one, and so where that one fails.
        """
        why = ""
        for server in (branch, None, None):
            try:
                server = server or self._living_server()
                run = Run(self._cell(slot, server.ready), server.build, server.ready.memory_bytes)
            except (StartError, ServerGoneError, OSError) as e:
                why = str(e)
                continue
            try:
                run.wait_until_built()
                return run
            except ServerGoneError as e:
                why = str(e)
                run.close()
        return why

    def _living_server(self) -> WarmServer:
        with self._server_lock:
            assert self._server is not None
            if not self._server.alive() and not self._closing:
                self._server.stop()
                self._server = self._start_server(self._server.ready.tier)
            elif self._server.orders >= self.settings.runs_per_server and not self._renewing:
                self._renewing = True
                threading.Thread(target=self._renew, name="renew", daemon=True).start()
            return self._server

    def _renew(self) -> None:
        """Replace the warm server by a fresh one; jobs go on while it starts."""
        try:
            assert self._server is not None
            fresh = self._start_server(self._server.ready.tier)
            with self._server_lock:
                old, self._server = self._server, fresh
                old.stop()
                if self._closing:
                    fresh.stop()
        except StartError:
            pass  # the old one goes on; the next run tries again
        finally:
            self._renewing = False

    def _cell(self, slot: int, ready: Ready) -> Cell:
        own_user = self._own_users is not None and ready.tier is not Tier.PROCESS
        namespaces = ready.tier is Tier.NAMESPACES
        home = CELL if namespaces else self._scratch.path / f"slot{slot}"
        cell = Cell(
            tier=ready.tier,
            home=home,
            uid=self._own_users[slot] if own_user and self._own_users else None,
            readable=tuple(self._readable()),
            internet=namespaces or _only_loopback(),
            limits=self.settings.limits,
            gpu=self._slots[slot] if slot < len(self._slots) else None,
            own_tmp=self.settings.own_tmp,
        )
        if not namespaces:
            if cell.uid is not None:  # a killed monitor's: root may not look into them here
                with acting_as(cell.uid):
                    wipe_all(cell.folders, cell.shared, cell.uid)
            wipe(home)
            home.mkdir()
            home.chmod(0o733 if own_user else 0o700)  # its user makes folders in it, no one lists
        return cell

    def _isolation(self, cell: Cell) -> Isolation:
        assert self.ready is not None
        return isolation(cell, self.ready.landlock_abi)


def _plain(file: File) -> bool:
    name = file.name
    return Path(name).name == name and name not in {"", ".", "..", SNIPPET} and "\0" not in name


def _only_loopback() -> bool:
    return {name for _, name in socket.if_nameindex()} <= {"lo"}


__all__ = ["Ready", "Supervisor", "SupervisorSettings"]
