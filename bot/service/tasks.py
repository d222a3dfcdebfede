"""Tasks that nobody awaits: held until they end, heard of when they fail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from bot.logs import where

log = logging.getLogger(__name__)


class Tasks:
    """What is under way beside whoever began it."""

    def __init__(self) -> None:
        """Nothing is."""
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin it; nothing may vanish in it, and Python itself holds no task."""
        task = asyncio.create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Cancel all of it, and wait until that is done."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception as e:
        log.error("%s", where(e))
        log.debug("a task failed", exc_info=e)
