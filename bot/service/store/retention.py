"""Delete stored questions: after so many days, or those of a person who asks for it."""

from __future__ import annotations

import asyncio
import logging
import time

from sqlalchemy import and_, delete, or_, select

from bot.service.store.database import Database
from bot.service.store.tables import EVENTS, FEEDBACK, QUESTIONS, THREADS

log = logging.getLogger(__name__)

_DAY_S = 86400.0
_FORGET_EVERY_S = 3600.0


async def forget(database: Database, days: float) -> int:
    """Delete questions older than so many days, with their feedback; return how many."""
    before = time.time() - days * _DAY_S
    async with database.engine.begin() as db:
        old = select(QUESTIONS.c.id).where(QUESTIONS.c.asked_at < before)
        await db.execute(delete(FEEDBACK).where(FEEDBACK.c.question.in_(old)))
        gone = await db.execute(delete(QUESTIONS).where(QUESTIONS.c.asked_at < before))
        await db.execute(delete(THREADS).where(THREADS.c.at < before))
        await db.execute(delete(EVENTS).where(EVENTS.c.at < before))
    return int(gone.rowcount)


async def forget_old(database: Database, days: float) -> None:
    """Delete what is older than so many days, now and every hour; 0: keep everything."""
    while days:
        gone = await forget(database, days)
        if gone:
            log.info("%d questions older than %g days deleted", gone, days)
        await asyncio.sleep(_FORGET_EVERY_S)


async def forget_person(database: Database, person: str, platform: str = "") -> tuple[int, int]:
    """Delete a person's questions and feedback, at once.

    Args:
        database: where they are stored.
        person: their id on the platform.
        platform: only there; empty: everywhere.

    Returns:
        how many questions, and how many pieces of feedback (theirs, and on their questions).
    """
    theirs = [QUESTIONS.c.asker_id == person]
    if platform:
        theirs.append(QUESTIONS.c.platform == platform)
    asked = select(QUESTIONS.c.id).where(*theirs)
    on_platform = select(QUESTIONS.c.id)
    if platform:
        on_platform = on_platform.where(QUESTIONS.c.platform == platform)
    async with database.engine.begin() as db:
        said = await db.execute(
            delete(FEEDBACK).where(
                or_(
                    FEEDBACK.c.question.in_(asked),
                    and_(FEEDBACK.c.person == person, FEEDBACK.c.question.in_(on_platform)),
                )
            )
        )
        gone = await db.execute(delete(QUESTIONS).where(*theirs))
    return int(gone.rowcount), int(said.rowcount)
