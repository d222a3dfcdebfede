"""Take over questions of a process that is gone, and drop those that another bot has taken."""

from __future__ import annotations

import asyncio
import logging

from bot.logs import facts
from bot.service.counters import Counters
from bot.service.store.database import DATABASE_ERRORS
from bot.service.store.leases import Leases
from bot.service.work import OpenWork

log = logging.getLogger(__name__)


class Handover:
    """Moves one platform's questions between bots."""

    def __init__(self, leases: Leases, work: OpenWork, platform: str, metrics: Counters) -> None:
        """Nothing has changed hands yet."""
        self._leases = leases
        self._work = work
        self._platform = platform
        self._metrics = metrics

    async def take_up(self, most: int | None = None) -> None:
        """Continue questions that no bot works on, oldest first, at most `most`."""
        left = await self._leases.claim(self._platform, most)
        if left:
            self._metrics.taken_up(self._platform, len(left))
            log.info(
                "%d questions were left unfinished; taking them up",
                len(left),
                extra=facts(questions=len(left)),
            )
        for asked in left:
            self._work.begin(asked)

    async def take_over(self) -> None:
        """Loop: take over questions of bots that are gone, as many as can begin at once."""
        while True:
            self._work.went.clear()
            if (room := self._work.room) > 0:
                try:
                    await self.take_up(room)
                except DATABASE_ERRORS as e:
                    log.warning("the store does not answer: %s", type(e).__name__)
            try:
                await asyncio.wait_for(self._work.went.wait(), self._leases.lease_s / 3)
            except TimeoutError:
                pass  # time to look again

    async def keep(self) -> None:
        """Loop: renew the leases of our questions; drop those that went to another bot."""
        while True:
            await asyncio.sleep(self._leases.lease_s / 3)
            before = self._work.ids
            if not before:
                continue
            try:
                ours = await self._leases.renew(before)
            except DATABASE_ERRORS as e:
                log.warning("the store does not answer: %s", type(e).__name__)
                continue
            for id in before - ours:
                log.warning("question %s went to another bot", id)
                self._work.stop(id)
