"""A stored question, and its conversion to and from a database row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Row, select

from bot.models import Answer, RunWith
from bot.service.seam import Attached, CardRef, Door, Person, Place
from bot.service.store.database import Database
from bot.service.store.tables import QUESTIONS

State = Literal["open", "done", "silent", "deleted"]

_ATTACHMENTS = TypeAdapter(tuple[Attached, ...])


@dataclass(frozen=True)
class Stored:
    """A stored question."""

    id: str
    asker: Person
    place: Place
    door: Door
    unasked: bool
    text: str
    attachments: tuple[Attached, ...]
    run_with: RunWith
    state: State
    revision: int
    showing: bool
    card: CardRef | None
    answer: Answer | None
    solved: bool
    asked_at: float  # seconds since 1970


async def find(database: Database, *where: ColumnElement[bool]) -> list[Stored]:
    """The questions that meet all conditions, oldest first."""
    async with database.engine.connect() as db:
        rows = await db.execute(
            select(QUESTIONS).where(*where).order_by(QUESTIONS.c.asked_at, QUESTIONS.c.id)
        )
        return [_read(row) for row in rows]


def _read(row: Row[Any]) -> Stored:
    return Stored(
        id=row.id,
        asker=Person.model_validate_json(row.asker),
        place=Place.model_validate_json(row.place),
        door=row.door,
        unasked=row.unasked,
        text=row.text,
        attachments=_ATTACHMENTS.validate_json(row.attachments),
        run_with=RunWith.model_validate_json(row.run_with),
        state=row.state,
        revision=row.revision,
        showing=row.showing,
        card=CardRef.model_validate_json(row.card) if row.card else None,
        answer=Answer.model_validate_json(row.answer) if row.answer else None,
        solved=row.solved,
        asked_at=row.asked_at,
    )


def attachments_as_json(attachments: Sequence[Attached]) -> str:
    """A question's attachments as JSON for its row."""
    return storable(_ATTACHMENTS.dump_json(tuple(attachments)).decode())


def storable(text: str) -> str:
    """Text that every database accepts: no NUL (PostgreSQL), no lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
