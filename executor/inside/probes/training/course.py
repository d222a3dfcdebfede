"""How a loss went, from one backward() of a line to the next."""

from __future__ import annotations

import math
from dataclasses import dataclass

from executor.protocol import LossSeen

_TIMES = 1000  # how much larger than at first a loss is that runs away
_FAR = 1_000_000  # and one that did, though it is still a number
_FEWEST = 3  # finite losses that show a course


@dataclass
class Course:
    """The losses of one line, as far as they were finite."""

    first: float | None = None
    last: float = 0.0
    rounds: int = 0
    fell: int = 0  # how often one was not larger than the one before

    def add(self, value: float) -> None:
        """The next one."""
        if not math.isfinite(value):
            return
        if self.first is None:
            self.first = value
        else:
            self.fell += value <= self.last
        self.last = value
        self.rounds += 1

    @property
    def runs_away(self) -> bool:
        """Whether each loss was larger than the one before, up to a multiple of the first.

        A sum over all rounds rises too, and is by then as many times larger as there were rounds.
        """
        times = max(_TIMES, 10 * self.rounds)
        return (
            self.rounds >= _FEWEST and not self.fell and self.last > times * (self.first or 0) > 0
        )

    @property
    def ran_away(self) -> bool:
        """Whether it came further than any loss goes that is raised on purpose, as an attack's."""
        return self.runs_away and self.last > _FAR * max(self.first or 0, 1)

    @property
    def words(self) -> str:
        """How it rose, and what that comes of."""
        return (
            f"rose with every step, from {self.first:.4g} to {self.last:.4g}: the steps go too far "
            "(a learning rate that is too large for the scale of these inputs and targets), or the "
            "wrong way"
        )

    def seen(self, line: int | None) -> LossSeen | None:
        """The same for the report; None if none was finite."""
        if self.first is None:
            return None
        return LossSeen(line=line, rounds=self.rounds, first=self.first, last=self.last)
