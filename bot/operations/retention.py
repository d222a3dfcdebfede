"""Delete stored questions: those of a person who asks for it, and all after so many days."""

from __future__ import annotations

import asyncio
import logging

from bot.service.store import retention
from bot.service.store.database import Database
from bot.settings import Settings

log = logging.getLogger(__name__)

_FORGET_EVERY_S = 3600.0


async def forget_old(database: Database, days: float) -> None:
    """Delete questions older than so many days, now and every hour; 0: keep everything."""
    while days:
        gone = await retention.forget(database, days)
        if gone:
            log.info("%d questions older than %g days deleted", gone, days)
        await asyncio.sleep(_FORGET_EVERY_S)


async def forget_person(settings: Settings, person: str, platform: str = "") -> str:
    """Delete a person's questions and feedback; return what was done and what remains to do.

    Raises:
        StateError: the store cannot be opened.
    """
    async with Database.at(settings.store.url, settings.state_folder) as database:
        questions, said = await retention.forget_person(database, person, platform)
    if not questions and not said:
        return f"nothing was kept of {person}; a person's id is in their profile's menu"
    return (
        f"deleted: {questions} questions with their answers, {said} pieces of feedback. "
        "The cards stay where they were posted (their asker can delete them there), and back-ups "
        "hold it until they are replaced."
    )
