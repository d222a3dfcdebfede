"""The interface between the HTTP edge and what runs the jobs: one supervisor, or a cluster."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Protocol

from executor.protocol import Job, JobResult, Model
from executor.service.selftest import AttackRow


class Capabilities(Model):
    """What this executor can do."""

    version: str  # of Torchmedic, with a digest of its source
    tier: str
    refused_tiers: dict[str, str]
    landlock_abi: int
    torch: str
    python: str
    cuda: str | None
    devices: tuple[str, ...]
    slots: int  # on the CPU
    gpu_slots: int
    libraries: dict[str, str] = {}  # what snippets may import, each with its version
    libraries_missing: tuple[str, ...] = ()  # what many snippets import, and is not installed


class Health(Model):
    """Whether it takes jobs."""

    status: str  # "starting" | "ok" | "failed"
    detail: str
    waiting: int
    running: int
    unhealthy_slots: dict[int, str]
    tier: str | None
    landlock_abi: int | None
    seccomp: bool
    kernel: str
    driver: str | None
    selftest: tuple[AttackRow, ...]


class Engine(Protocol):
    """Runs jobs. Everything but `start` and `close` answers at once."""

    @property
    def body_bytes(self) -> int:
        """The most bytes that one request may have."""

    def start(self) -> None:
        """Get ready to run jobs.

        Raises:
            StartError: it cannot; says why.
        """

    def close(self) -> None:
        """Stop everything."""

    def submit(self, job: Job, cancel: threading.Event) -> Future[JobResult]:
        """Put a job into the queue; setting `cancel` ends it.

        Raises:
            ExecutorBusyError: too many are waiting; here, or as the future's exception.
        """

    def position(self, result: Future[JobResult]) -> int | None:
        """How many jobs are ahead of this one; None once it runs."""

    @property
    def refuses(self) -> str:
        """Why no job is taken at all; empty while jobs are taken."""

    def capabilities(self) -> Capabilities:
        """Tier, versions, devices and slots; call it only after `start`."""

    def health(self, status: str, detail: str) -> Health:
        """Its queue, its slots and its self-test; may be called at any time."""

    def metrics(self) -> str:
        """Counters in Prometheus' text format."""
