"""Stop a long training between two steps, before the clock would kill it.

A killed run leaves no report. One that is stopped here ends as a healthy one: what the probes saw,
and the losses so far, are told. Only the steps of optimizers count; whatever else takes long is
ended by the supervisor, as before.
"""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path
from typing import Any

from executor.jail.import_time import ImportTime
from executor.protocol import Cut

_SHARE = 0.8  # of the limit: the rest is for the last step, what follows it, and the report


class TrainingCut(BaseException):
    """Ends the snippet's training. No `except Exception` of the snippet's takes it for an error."""


class StepLimit:
    """Counts the optimizers' steps, and ends the run after the first one beyond its time."""

    def __init__(self, limit_s: float, import_time: ImportTime) -> None:
        self._limit_s = _SHARE * limit_s
        self._import_time = import_time
        self._began = self._clock_began = self._process_began = self._queued = 0.0
        self._steps = 0
        self._handle: Any = None
        self.reached = False

    def start(self) -> None:
        """Begin to count, as the snippet begins."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        self._began, self._clock_began = self._computed_s(), time.monotonic()
        self._process_began, self._queued = time.process_time(), _queued_s()
        self._handle = register_optimizer_step_post_hook(self._stepped)

    def stop(self) -> None:
        """Stop counting."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def cut(self, losses: tuple[float, ...]) -> Cut | None:
        """What was cut; None if the run was not."""
        if not self.reached:
            return None
        seconds = round(self._computed_s() - self._began, 2)
        return Cut(steps=self._steps, seconds=seconds, losses=losses)

    def _stepped(self, *_: object) -> None:
        self._steps += 1
        if threading.current_thread() is not threading.main_thread():
            return  # only that thread would end
        computed = self._computed_s() - self._began
        passed = time.monotonic() - self._clock_began
        if computed < self._limit_s and (passed < self._limit_s or not self._is_over(passed)):
            return
        self.reached = True
        raise TrainingCut

    def _computed_s(self) -> float:
        return time.process_time() - self._import_time.spent_s

    def _is_over(self, passed_s: float) -> bool:
        """Whether it waits in each step, or workers may have used the rest.

        The time of workers is not known until they end.
        """
        import multiprocessing

        computed = time.process_time() - self._process_began
        waited = passed_s - computed - (_queued_s() - self._queued)
        return waited >= self._limit_s or bool(multiprocessing.active_children())


def _queued_s() -> float:
    """How long this process could have computed, and others kept it waiting (sched-stats.txt)."""
    try:
        return int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return math.inf  # not known: it is not said to have waited
