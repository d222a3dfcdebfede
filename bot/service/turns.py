"""The queue of questions: so many at a time, one of each person, first come first served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_LOOK_S = 2.0  # how often a waiting question's position is reported


@dataclass(eq=False)
class Turn:
    """One question's position in the queue."""

    person: str
    called: asyncio.Event = field(default_factory=asyncio.Event)


class Turns:
    """The queue of questions.

    turns = Turns(at_once=2)
    turn = turns.join("U1")
    async with turns.wait(turn, told):   # told(ahead) whenever the place changes
        ...
    """

    def __init__(self, at_once: int) -> None:
        """Make a queue that serves `at_once` questions at a time."""
        self._at_once = at_once
        self._waiting: list[Turn] = []
        self._served: list[Turn] = []

    def join(self, person: str) -> Turn:
        """Add a question at the end; its turn may come at once."""
        turn = Turn(person)
        self._waiting.append(turn)
        self._call()
        return turn

    def ahead(self, turn: Turn) -> int:
        """How many others come first, including those being served; 0 once it is served."""
        if turn not in self._waiting:
            return 0
        return self._waiting.index(turn) + len(self._served)

    @property
    def waiting(self) -> int:
        """How many questions wait."""
        return len(self._waiting)

    def leave(self, turn: Turn) -> None:
        """Remove a question that is done or given up."""
        for line in (self._waiting, self._served):
            if turn in line:
                line.remove(turn)
        self._call()

    @asynccontextmanager
    async def wait(self, turn: Turn, told: Callable[[int], Awaitable[None]]) -> AsyncIterator[None]:
        """Wait until it is this one's turn, and keep it while the block runs."""
        try:
            last = self.ahead(turn)
            while not turn.called.is_set():
                try:
                    await asyncio.wait_for(turn.called.wait(), _LOOK_S)
                except TimeoutError:
                    if (now := self.ahead(turn)) != last and now:
                        last = now
                        await told(now)
            yield
        finally:
            self.leave(turn)

    def _blocked(self, turn: Turn) -> bool:
        return any(turn.person == other.person for other in self._served)

    def _call(self) -> None:
        while len(self._served) < self._at_once:
            first = next((t for t in self._waiting if not self._blocked(t)), None)
            if first is None:
                return
            self._waiting.remove(first)
            self._served.append(first)
            first.called.set()
