"""The engine of one machine: its supervisor."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future

from executor.protocol import Job, JobResult
from executor.service.engine import Capabilities, Health
from executor.service.packages import LIBRARIES
from executor.service.supervisor import Supervisor
from executor.version import version


class LocalEngine:
    """Makes a supervisor an Engine."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    @property
    def body_bytes(self) -> int:
        """The most bytes of a request, from the settings."""
        return self._supervisor.settings.body_bytes

    def start(self) -> None:
        """Start the supervisor."""
        self._supervisor.start()

    def close(self) -> None:
        """Stop it."""
        self._supervisor.close()

    def submit(self, job: Job, cancel: threading.Event) -> Future[JobResult]:
        """Put a job into its queue."""
        return self._supervisor.submit(job, cancel)

    def position(self, result: Future[JobResult]) -> int | None:
        """How many jobs for its device are ahead of this one; None once it runs."""
        return self._supervisor.position(result)

    @property
    def refuses(self) -> str:
        """Why no job is taken."""
        return self._supervisor.refuses

    def capabilities(self) -> Capabilities:
        """Tier, versions, devices, slots."""
        supervisor, here = self._supervisor, self._supervisor.ready
        assert here is not None
        return Capabilities(
            version=version(),
            tier=here.tier,
            refused_tiers=supervisor.refused_tiers,
            landlock_abi=here.landlock_abi,
            torch=here.torch,
            python=here.python,
            cuda=here.cuda,
            devices=supervisor.devices,
            slots=supervisor.settings.slots,
            gpu_slots=len(supervisor.gpus.numbers),
            libraries=(there := supervisor.packages.versions()),
            libraries_missing=tuple(name for name in LIBRARIES if name not in there),
        )

    def health(self, status: str, detail: str) -> Health:
        """Its queue, its slots, and which walls it tried."""
        supervisor, here = self._supervisor, self._supervisor.ready
        return Health(
            status=status,
            detail=detail,
            waiting=supervisor.waiting,
            running=supervisor.running,
            unhealthy_slots=supervisor.unhealthy_slots,
            tier=here.tier if here else None,
            landlock_abi=here.landlock_abi if here else None,
            seccomp=here is not None,
            kernel=f"{os.uname().sysname} {os.uname().release} {os.uname().machine}",
            driver=supervisor.gpus.driver,
            selftest=supervisor.selftest,
        )

    def metrics(self) -> str:
        """Its counters."""
        from executor.service import metrics  # 0.1 s that no start waits for

        return metrics.text(self._supervisor)
