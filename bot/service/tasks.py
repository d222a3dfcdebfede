"""Background tasks: kept alive until they end, and logged when they fail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from bot.logs import where

log = logging.getLogger(__name__)


class Tasks:
    """The background tasks of one owner."""

    def __init__(self) -> None:
        """Make it without tasks."""
        self._tasks: set[asyncio.Future[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task and hold it (asyncio itself keeps only weak references)."""
        task = asyncio.create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def hold(self, task: asyncio.Future[Any]) -> None:
        """Hold a task that was started elsewhere, and log its failure."""
        self._tasks.add(task)
        task.add_done_callback(self._let_go)

    def _let_go(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            log.error("%s", where(error))

    async def close(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def first_of(*works: Coroutine[Any, Any, Any]) -> None:
    """Wait until one of these ends, raise what it raised, and cancel the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception as e:
        log.error("%s", where(e))
        log.debug("a task failed", exc_info=e)
