"""The store: every question from before it is acknowledged until its retention ends."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    Text,
    delete,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from bot.errors import StateError
from bot.models import Answer, RunWith
from bot.platforms.base import Attached, CardRef, Door, Incoming, Person, Place

State = Literal["open", "done", "silent", "deleted"]
_DAY_S = 86400.0
_BUSY_S = 30.0  # how long a second process may hold SQLite's only pen

_tables = MetaData()

# Everything that was ever delivered, so that a second delivery is known, whenever it comes.
_events = Table(
    "events", _tables,
    Column("id", String(255), primary_key=True),
    Column("at", Float, nullable=False, index=True),
)  # fmt: skip

_questions = Table(
    "questions", _tables,
    Column("id", String(32), primary_key=True),
    Column("platform", String(20), nullable=False),
    Column("asker_id", String(64), nullable=False),
    Column("asker", Text, nullable=False),  # Person
    Column("place", Text, nullable=False),  # Place
    Column("message_key", String(255), nullable=False, index=True),
    Column("thread_key", String(255), nullable=False, index=True),
    Column("door", String(20), nullable=False),
    Column("unasked", Boolean, nullable=False),
    Column("text", Text, nullable=False),
    Column("attachments", Text, nullable=False),  # list of Attached
    Column("run_with", Text, nullable=False),  # RunWith
    # open: to be answered · done · silent: nobody asked and there was nothing to say · deleted
    Column("state", String(10), nullable=False),
    Column("revision", Integer, nullable=False),  # counts edits and runs: an old one says nothing
    Column("showing", Boolean, nullable=False),  # a card may exist that `card` does not know yet
    Column("card", Text),  # CardRef
    Column("answer", Text),  # Answer
    Column("solved", Boolean, nullable=False),
    Column("asked_at", Float, nullable=False, index=True),
    Column("done_at", Float),
    Index("questions_open", "platform", "state"),
)  # fmt: skip

_feedback = Table(
    "feedback", _tables,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("question", String(32), nullable=False, index=True),
    Column("person", String(64), nullable=False),
    Column("verdict", String(10), nullable=False),  # solved, wrong, human
    Column("words", Text, nullable=False),
    Column("at", Float, nullable=False),
)  # fmt: skip

# What manners need to remember of a thread.
_threads = Table(
    "threads", _tables,
    Column("key", String(255), primary_key=True),
    Column("team_spoke", Boolean, nullable=False),
    Column("at", Float, nullable=False, index=True),
)  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """A question as it is kept."""

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


class Store:
    """Questions, deliveries, feedback; one SQLite file, or a PostgreSQL database.

    async with Store("sqlite+aiosqlite:////var/lib/torchmedic/torchmedic.db") as store:
        asked = await store.take(incoming)   # None: this delivery is known
    """

    def __init__(self, url: str) -> None:
        """A store at an SQLAlchemy URL (`sqlite+aiosqlite:///…`, `postgresql+asyncpg://…`)."""
        self._engine = _engine(url)

    @classmethod
    def at(cls, url: str, state: Path) -> Store:
        """The store that the settings name; an empty URL is a file in the state folder.

        Raises:
            StateError: the folder cannot be made, or the URL names no database we know.
        """
        if not url:
            try:
                state.mkdir(parents=True, exist_ok=True)
            except OSError as e:
                raise StateError(
                    f"{state}: cannot be made ({e.strerror}); point `state` to a folder of your own"
                ) from e
            return cls(f"sqlite+aiosqlite:///{state / 'torchmedic.db'}")
        for plain, driver in (
            ("sqlite:", "sqlite+aiosqlite:"),
            ("postgresql:", "postgresql+asyncpg:"),
            ("postgres:", "postgresql+asyncpg:"),
        ):
            if url.startswith(plain):
                url = driver + url.removeprefix(plain)
        if not url.startswith(("sqlite+aiosqlite:", "postgresql+asyncpg:")):
            raise StateError(
                "store.url should begin with sqlite:/// or postgresql://, or be empty for a file "
                "in the state folder"
            )
        return cls(url)

    async def open(self) -> None:
        """Make what is missing.

        Raises:
            StateError: the database cannot be reached or written; the text never holds its URL.
        """
        try:
            async with self._engine.begin() as db:
                await db.run_sync(_tables.create_all)
        except (SQLAlchemyError, OSError) as e:
            first = str(getattr(e, "orig", None) or e).splitlines()[0]
            raise StateError(f"the store cannot be opened ({first}); check store.url") from e

    async def close(self) -> None:
        """Hang up."""
        await self._engine.dispose()

    async def __aenter__(self) -> Store:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # -- questions -----------------------------------------------------------------------------

    async def take(self, incoming: Incoming) -> Stored | None:
        """Keep a question and its delivery in one step; None if this delivery is known."""
        id = secrets.token_hex(8)
        try:
            async with self._engine.begin() as db:
                await db.execute(insert(_events).values(id=_short(incoming.event), at=time.time()))
                await db.execute(
                    insert(_questions).values(
                        id=id, platform=incoming.place.platform, asker_id=incoming.asker.id,
                        asker=incoming.asker.model_dump_json(),
                        place=incoming.place.model_dump_json(),
                        message_key=incoming.place.message_key,
                        thread_key=incoming.place.thread_key,
                        door=incoming.door, unasked=incoming.unasked, text=_storable(incoming.text),
                        attachments=_list(incoming.attachments),
                        run_with=RunWith().model_dump_json(), state="open", revision=0,
                        showing=False, solved=False, asked_at=time.time(),
                    )
                )  # fmt: skip
        except IntegrityError:
            return None
        return await self.get(id)

    async def first_time(self, delivery: str) -> bool:
        """Whether this delivery (an edit, a click) comes for the first time; it is kept."""
        try:
            async with self._engine.begin() as db:
                await db.execute(insert(_events).values(id=_short(delivery), at=time.time()))
        except IntegrityError:
            return False
        return True

    async def get(self, id: str) -> Stored | None:
        """A question by its id."""
        return await self._one(_questions.c.id == id)

    async def by_message(self, place: Place) -> Stored | None:
        """The question that this message asked."""
        if not place.message_key:
            return None
        return await self._one(_questions.c.message_key == place.message_key)

    async def in_thread(self, place: Place) -> list[Stored]:
        """The questions of a thread, oldest first."""
        if not place.thread_key:
            return []
        return await self._all(_questions.c.thread_key == place.thread_key)

    async def unfinished(self, platform: str) -> list[Stored]:
        """What was taken in and not answered, oldest first: after a crash, to be finished."""
        return await self._all(_questions.c.platform == platform, _questions.c.state == "open")

    async def finished(self, since: float) -> list[Stored]:
        """What was answered of all that was asked since a moment (seconds since 1970)."""
        return await self._all(_questions.c.state == "done", _questions.c.asked_at >= since)

    async def direct_places(self, platform: str, limit: int = 50) -> list[Place]:
        """The places of direct messages, the latest first; one a channel."""
        async with self._engine.connect() as db:
            rows = await db.execute(
                select(_questions.c.place)
                .where(_questions.c.platform == platform, _questions.c.door == "direct")
                .order_by(_questions.c.asked_at.desc())
                .limit(limit)
            )
            places = [Place.model_validate_json(row.place) for row in rows]
        return list({place.channel: place for place in places}.values())

    async def again(
        self,
        id: str,
        *,
        text: str | None = None,
        attachments: Sequence[Attached] | None = None,
        run_with: RunWith | None = None,
        place: Place | None = None,
    ) -> Stored | None:
        """Open a question again: its message was edited, or it should run another way.

        A place is given where the click brought a new address to answer to.
        """
        values: dict[str, Any] = {"state": "open", "solved": False, "answer": None,
                                  "revision": _questions.c.revision + 1}  # fmt: skip
        if text is not None:
            values["text"] = _storable(text)
        if attachments is not None:
            values["attachments"] = _list(attachments)
        if run_with is not None:
            values["run_with"] = run_with.model_dump_json()
        if place is not None:
            values["place"] = place.model_dump_json()
        async with self._engine.begin() as db:
            await db.execute(
                update(_questions)
                .where(_questions.c.id == id, _questions.c.state != "deleted")
                .values(**values)
            )
        return await self.get(id)

    async def about_to_show(self, id: str) -> None:
        """From now on a card may exist; said before it is made, so that a crash cannot hide it."""
        await self._set(id, showing=True)

    async def shown(self, id: str, card: CardRef | None) -> None:
        """The card is there."""
        await self._set(id, card=card.model_dump_json() if card is not None else None)

    async def answered(self, id: str, revision: int, answer: Answer) -> bool:
        """Keep the answer before it is shown; False if the question has changed meanwhile."""
        async with self._engine.begin() as db:
            done = await db.execute(
                update(_questions)
                .where(
                    _questions.c.id == id,
                    _questions.c.revision == revision,
                    _questions.c.state == "open",
                )
                .values(answer=_storable(answer.model_dump_json()))
            )
        return bool(done.rowcount)

    async def done(self, id: str, revision: int, state: State = "done") -> None:
        """The answer is shown (or there is nothing to show): nothing is left to do."""
        async with self._engine.begin() as db:
            await db.execute(
                update(_questions)
                .where(
                    _questions.c.id == id,
                    _questions.c.revision == revision,
                    _questions.c.state == "open",
                )
                .values(state=state, done_at=time.time())
            )

    async def deleted(self, id: str) -> None:
        """The asker took it back: text, files and answer go at once."""
        await self._set(id, state="deleted", text="", attachments="[]", answer=None, card=None)

    async def solved(self, id: str) -> None:
        """The asker says that it helped."""
        await self._set(id, solved=True)

    # -- what people said --------------------------------------------------------------------

    async def say(self, question: str, person: Person, verdict: str, words: str = "") -> None:
        """Keep a verdict: solved, wrong (and why), human."""
        async with self._engine.begin() as db:
            await db.execute(
                insert(_feedback).values(
                    question=question, person=person.id, verdict=verdict, words=_storable(words),
                    at=time.time(),
                )
            )  # fmt: skip

    async def said(self, question: str) -> list[tuple[str, str, str]]:
        """(person, verdict, words), oldest first."""
        async with self._engine.connect() as db:
            rows = await db.execute(
                select(_feedback).where(_feedback.c.question == question).order_by(_feedback.c.id)
            )
            return [(r.person, r.verdict, r.words) for r in rows]

    # -- threads -----------------------------------------------------------------------------

    async def team_spoke(self, place: Place) -> None:
        """Somebody of the team has said something in this thread."""
        if not place.thread_key or await self.is_theirs(place):
            return
        try:
            async with self._engine.begin() as db:
                await db.execute(
                    insert(_threads).values(key=place.thread_key, team_spoke=True, at=time.time())
                )
        except IntegrityError:
            pass  # said at the same moment by another

    async def is_theirs(self, place: Place) -> bool:
        """Whether the team has spoken in this thread."""
        async with self._engine.connect() as db:
            row = (
                await db.execute(select(_threads).where(_threads.c.key == place.thread_key))
            ).first()
        return row is not None and bool(row.team_spoke)

    # -- retention ---------------------------------------------------------------------------

    async def forget(self, days: float) -> int:
        """Delete what is older than so many days, with its feedback; how many questions went."""
        before = time.time() - days * _DAY_S
        async with self._engine.begin() as db:
            old = select(_questions.c.id).where(_questions.c.asked_at < before)
            await db.execute(delete(_feedback).where(_feedback.c.question.in_(old)))
            gone = await db.execute(delete(_questions).where(_questions.c.asked_at < before))
            await db.execute(delete(_threads).where(_threads.c.at < before))
            await db.execute(delete(_events).where(_events.c.at < before))
        return int(gone.rowcount)

    # -- inside ------------------------------------------------------------------------------

    async def _set(self, id: str, **values: Any) -> None:
        async with self._engine.begin() as db:
            await db.execute(update(_questions).where(_questions.c.id == id).values(**values))

    async def _one(self, *where: Any) -> Stored | None:
        found = await self._all(*where)
        return found[-1] if found else None

    async def _all(self, *where: Any) -> list[Stored]:
        async with self._engine.connect() as db:
            rows = await db.execute(
                select(_questions).where(*where).order_by(_questions.c.asked_at, _questions.c.id)
            )
            return [_stored(row) for row in rows]


def _engine(url: str) -> AsyncEngine:
    if not url.startswith("sqlite"):
        return create_async_engine(url, pool_pre_ping=True, hide_parameters=True)
    # Parameters are what people wrote: no error of the database may tell them to a log.
    options: dict[str, Any] = {"connect_args": {"timeout": _BUSY_S}, "hide_parameters": True}
    if url.endswith("://") or ":memory:" in url:
        options["poolclass"] = StaticPool  # a database in memory lives as long as its connection
    engine = create_async_engine(url, **options)

    @event.listens_for(engine.sync_engine, "connect")
    def _(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")  # a reader never waits for the writer
        cursor.execute("PRAGMA synchronous=FULL")  # kept means kept, through a power cut as well
        cursor.close()

    return engine


def _stored(row: Row[Any]) -> Stored:
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


_ATTACHMENTS = TypeAdapter(tuple[Attached, ...])


def _list(attachments: Sequence[Attached]) -> str:
    return _storable(_ATTACHMENTS.dump_json(tuple(attachments)).decode())


def _storable(text: str) -> str:
    """Text that every database takes: no NUL (PostgreSQL), no halves of characters."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _short(delivery: str) -> str:
    """A delivery's id in the width of its column."""
    return delivery if len(delivery) <= 255 else hashlib.sha256(delivery.encode()).hexdigest()
