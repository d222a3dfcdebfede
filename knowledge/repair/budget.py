"""Count what a search for a fix computes, so that it ends where nothing comes of it."""

from executor.protocol import Job, JobResult, JobRunner, Outcome

# Of processor time, in all runs of a search; of runs that hit the time limit, by the clock. Six
# seconds are to do, and what has begun when these are spent is finished.
MOST_S = 4.4
START_S = 0.1  # of the executor's own, for each run: to start it, to send it, to read what came


class Budget:
    """Runs jobs, and counts what they compute."""

    def __init__(self, executor: JobRunner, most_s: float = MOST_S) -> None:
        """Take what runs them.

        Args:
            executor: where everything runs.
            most_s: seconds of processor time after which nothing new is begun.
        """
        self._executor = executor
        self._most_s = most_s
        self._spent_s = 0.0
        self._has_a_last = False

    @property
    def left_s(self) -> float:
        """Seconds of processor time after which nothing new is begun; negative if it is over."""
        return self._most_s - self._spent_s

    @property
    def is_spent(self) -> bool:
        """Whether no further candidate is to be tried."""
        return self.left_s < 0

    def may_go_on(self) -> bool:
        """Whether a candidate that a run speaks for is to be looked at further.

        When all is spent the first that asks is seen through: of a program that computes long
        each look takes as long again.
        """
        if not self.is_spent:
            return True
        first, self._has_a_last = not self._has_a_last, True
        return first

    def limit_s(self, job: Job, before: JobResult) -> float:
        """A candidate's time limit: what is left, and enough to get past the first run's error."""
        return min(job.wall_s, max(self.left_s, 2 + 2 * before.seconds))

    async def run(self, job: Job) -> JobResult:
        """Run a job.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        result = await self._executor.run(job)
        waited_s = result.seconds if result.outcome is Outcome.TIMEOUT else 0.0  # people did too
        self._spent_s += START_S + max(waited_s, result.cpu_seconds)
        return result
