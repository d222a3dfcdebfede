"""Count what a search for a fix computes, so that it ends where nothing comes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from executor.protocol import Job, JobResult
from executor.service.client import ExecutorClient

MOST_S = 6.0  # of processor time, in all runs of a search; what has begun is finished


class Budget:
    """An executor whose runs are counted."""

    def __init__(self, executor: ExecutorClient, most_s: float = MOST_S) -> None:
        """Take the executor that does the work.

        Args:
            executor: where everything runs.
            most_s: seconds of processor time after which nothing new is begun.
        """
        self._executor = executor
        self._most_s = most_s
        self._spent_s = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether no further candidate is to be tried."""
        return self._spent_s > self._most_s

    async def run(self, job: Job, ahead: Callable[[int], None] | None = None) -> JobResult:
        """Run a job.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        result = await self._executor.run(job, ahead) if ahead else await self._executor.run(job)
        self._spent_s += result.cpu_seconds
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)
