"""The queue of jobs that wait for a slot of their device, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Literal

from executor.exceptions import ExecutorBusyError
from executor.protocol import Job, JobResult, Outcome
from executor.service.verdict import not_run

Device = Literal["cpu", "cuda"]


@dataclass(eq=False)
class WaitingJob:
    """A job that waits for a slot."""

    job: Job
    cancel: threading.Event
    result: Future[JobResult] = field(default_factory=Future)


class JobQueue:
    """Jobs that wait. A job for a GPU does not delay one for the CPU, nor the reverse."""

    def __init__(self, room: int, slots: dict[Device, int]) -> None:
        """Make an empty queue.

        Args:
            room: how many jobs may wait, beyond those that an idle slot will take at once.
            slots: how many slots each device has.
        """
        self._room = room
        self._slots = slots
        self._jobs: deque[WaitingJob] = deque()
        self._idle: dict[Device, int] = {"cpu": 0, "cuda": 0}
        self._change = threading.Condition()
        self._closed = False

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def idle(self) -> int:
        """How many slots wait for a job."""
        return sum(self._idle.values())

    def join(self, waiting: WaitingJob) -> None:
        """Put a job at the end.

        Raises:
            ExecutorBusyError: too many wait already.
        """
        device = waiting.job.device
        with self._change:
            self._forget_the_gone()
            ahead = sum(w.job.device == device for w in self._jobs)
            if ahead >= self._room + self._idle[device]:
                raise ExecutorBusyError(
                    f"{ahead} jobs are waiting already; try again in a moment",
                    retry_after_s=1 + ahead / max(1, self._slots[device]),
                    waiting=ahead,
                )
            self._jobs.append(waiting)
            self._change.notify_all()

    def _forget_the_gone(self) -> None:
        """Drop the jobs whose client hung up while they waited."""
        for waiting in [w for w in self._jobs if w.cancel.is_set()]:
            self._jobs.remove(waiting)
            if waiting.result.set_running_or_notify_cancel():
                waiting.result.set_result(not_run(Outcome.KILLED, "cancelled before it began"))

    def take(self, device: Device) -> WaitingJob | None:
        """Wait for the next job for this device; None once the queue is closed."""
        with self._change:
            self._idle[device] += 1
            try:
                while not self._closed:
                    waiting = next((w for w in self._jobs if w.job.device == device), None)
                    if waiting is None:
                        self._change.wait()
                        continue
                    self._jobs.remove(waiting)
                    if waiting.result.set_running_or_notify_cancel():
                        return waiting
                return None
            finally:
                self._idle[device] -= 1

    def position(self, result: Future[JobResult]) -> int | None:
        """How many jobs for the same device are ahead of this one; None once it runs."""
        with self._change:
            mine = next((w for w in self._jobs if w.result is result), None)
            if mine is None:
                return None
            same = [w for w in self._jobs if w.job.device == mine.job.device]
            return same.index(mine)

    def leave(self, device: Device | None = None) -> list[WaitingJob]:
        """Remove all waiting jobs (for a device); the caller must answer them."""
        with self._change:
            gone = [w for w in self._jobs if device is None or w.job.device == device]
            for waiting in gone:
                self._jobs.remove(waiting)
            return [w for w in gone if w.result.set_running_or_notify_cancel()]

    def close(self) -> None:
        """Close the queue: every `take` returns None."""
        with self._change:
            self._closed = True
            self._change.notify_all()
