"""Read the questions and the feedback since a given time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sqlalchemy import select

from bot.models import Answer
from bot.service.store.database import Database
from bot.service.store.stored import State
from bot.service.store.tables import FEEDBACK, QUESTIONS


@dataclass(frozen=True)
class Past:
    """A question of the past, with what a report needs."""

    id: str
    platform: str
    asker_id: str
    unasked: bool
    text: str
    state: State
    answer: Answer | None
    solved: bool
    asked_at: float  # seconds since 1970
    done_at: float | None


async def asked_since(database: Database, when: float) -> AsyncIterator[Past]:
    """The questions since then, oldest first, one at a time because there may be many."""
    q = QUESTIONS.c
    asked = (
        select(
            q.id,
            q.platform,
            q.asker_id,
            q.unasked,
            q.text,
            q.state,
            q.answer,
            q.solved,
            q.asked_at,
            q.done_at,
        )
        .where(q.asked_at >= when, q.state != "deleted")
        .order_by(q.asked_at)
    )
    async with database.engine.connect() as db:
        async for row in await db.stream(asked):
            words = row._asdict()
            answer = words.pop("answer")
            yield Past(**words, answer=Answer.model_validate_json(answer) if answer else None)


async def feedback_since(database: Database, when: float) -> list[tuple[str, str, str]]:
    """The feedback since then as (question, verdict, words), oldest first."""
    f = FEEDBACK.c
    said = select(f.question, f.verdict, f.words).where(f.at >= when).order_by(f.id)
    async with database.engine.connect() as db:
        return [(row.question, row.verdict, row.words) for row in await db.execute(said)]
