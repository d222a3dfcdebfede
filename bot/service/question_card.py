"""One question's card: shows the steps, then the answer; removed if another bot took over."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from bot.errors import PlatformError, PlatformRefusedError
from bot.logs import where
from bot.models import Answer
from bot.service.counters import Counters
from bot.service.retry import retrying
from bot.service.seam import Answered, CardRef, Platform, View, tell
from bot.service.store import Store
from bot.service.store.database import DATABASE_ERRORS
from bot.service.store.stored import Stored
from bot.service.tasks import Tasks

log = logging.getLogger(__name__)

_STEP_EVERY_S = 1.0  # platforms limit how often a message may change
_SHOW_AGAIN_S = (2.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0)  # retries: platform is gone
_WHOLE_S = 10.0  # time for a cancelled question to finish drawing its card
_GIVE_WAY_TRIES = 60  # seconds to wait for the other bot's card


class OvertakenError(Exception):
    """Another bot has the question, or it was edited: this run may show nothing more."""


class QuestionCard:
    """A question that is being worked on, and its card."""

    def __init__(
        self, asked: Stored, store: Store, platform: Platform, metrics: Counters, tasks: Tasks
    ) -> None:
        """Make it; this process has shown nothing yet."""
        self.asked = asked
        self._card = asked.card
        self._store = store
        self._platform = platform
        self._metrics = metrics
        self._tasks = tasks
        self._changed_at = 0.0  # when the card was last changed

    def know(self, asked: Stored) -> None:
        """Update to the question's present state in the store."""
        self.asked, self._card = asked, asked.card

    async def step(self, view: View, *, now: bool = False) -> None:
        """Show the present step; a failure to show it is ignored.

        Raises:
            OvertakenError: another bot has the question, or it was edited.
        """
        if self.asked.unasked or (not now and time.monotonic() - self._changed_at < _STEP_EVERY_S):
            return
        try:
            await self._show(view)
        except PlatformError as e:
            self._metrics.failed(self._platform.name)
            log.warning("question %s: a step could not be shown: %s", self.asked.id, e)
        except DATABASE_ERRORS as e:
            log.warning("question %s: the store does not answer: %s", self.asked.id, where(e))

    async def finish(self, answer: Answer) -> None:
        """Show the answer; retry as long as the platform is unreachable.

        Raises:
            OvertakenError: as for `step`.
        """
        asked = self.asked
        try:
            await retrying(
                lambda: self._show(_answered(asked, answer)),
                may_pass=_may_pass,
                tries=len(_SHOW_AGAIN_S) + 1,
                waits_s=_SHOW_AGAIN_S,
                failed=self._log_failure,
            )
        except PlatformRefusedError as e:
            log.error("question %s: its answer was refused for good: %s", asked.id, e)
            told = f"I have an answer for you, but I may not post it there ({e})."
            if not asked.unasked:
                await tell(self._platform, asked.place, asked.asker, told)
        except PlatformError:
            return  # it stays open: the next start tries again
        await self._store.done(asked.id, asked.revision)
        if not asked.revision:  # "run again" comes when it likes
            self._metrics.shown(self._platform.name, time.time() - asked.asked_at)

    def _log_failure(self, error: Exception) -> None:
        if isinstance(error, PlatformError):
            self._metrics.failed(self._platform.name)
            log.warning("question %s: its answer cannot be shown yet: %s", self.asked.id, error)
        else:
            log.warning("question %s: the store does not answer: %s", self.asked.id, where(error))

    async def _show(self, view: View) -> None:
        asked = self.asked
        self._changed_at = time.monotonic()
        leases = self._store.leases
        if not await leases.hold(asked.id, asked.revision, showing=not asked.showing):
            raise OvertakenError
        if self._card is None and asked.showing:
            self._card = await self._platform.find(asked.id, asked.place)
            if self._card is not None:
                await self._store.shown(asked.id, self._card)
        self.asked = replace(asked, showing=True)
        await _whole(self._draw(view))

    async def _draw(self, view: View) -> None:
        asked = self.asked
        card = await self._platform.show(asked.id, asked.place, view, self._card)
        ours = True
        if card != self._card:
            self._card = card
            ours = await self._store.shown(asked.id, card)
        elif self._store.database.shared:
            ours = await self._store.leases.hold(asked.id, asked.revision)
        if not ours:
            self._tasks.spawn(self._give_way(card))
            raise OvertakenError

    async def _give_way(self, card: CardRef | None) -> None:
        """Remove our card after being overtaken: it must not stay beside or over the answer."""
        asked = self.asked
        for _ in range(_GIVE_WAY_TRIES):
            now = await self._store.get(asked.id)
            if now is None or now.state != "open" or now.card is not None:
                break
            await asyncio.sleep(1)
        if now is not None and now.state == "deleted":
            now = None  # where its card is stays known, and no card may stay
        if card is None or (now is not None and now.card == card and now.answer is None):
            return  # private, or the other bot found our card and goes on with it
        try:
            if now is None or now.card != card:
                await self._platform.delete(card)
            elif now.answer is not None:
                view = replace(_answered(now, now.answer), redrawn=True)
                await self._platform.show(asked.id, asked.place, view, card)
        except PlatformError as e:
            log.warning("question %s: a card too many could not be mended: %s", asked.id, e)


def _answered(asked: Stored, answer: Answer) -> Answered:
    """The answer as the card of this question shows it."""
    return Answered(answer, asked.solved, run_with=asked.run_with, private=asked.place.private)


def _may_pass(error: Exception) -> bool:
    passing = isinstance(error, (PlatformError, *DATABASE_ERRORS))
    return passing and not isinstance(error, PlatformRefusedError)


async def _whole(work: Coroutine[Any, Any, None]) -> None:
    """Finish the work even if cancelled: a card unknown to the store would be posted twice."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=_WHOLE_S)
        raise
