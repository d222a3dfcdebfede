"""The store: every question from before it is acknowledged until its retention ends.

Several bots may share a PostgreSQL database. Each question then has an owner and a lease: who works
on it says so again before the lease runs out, and who has lost it writes nothing any more.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    Text,
    and_,
    cast,
    delete,
    event,
    extract,
    func,
    insert,
    inspect,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from bot import migrations
from bot.errors import StateError
from bot.models import Answer, RunWith
from bot.platforms.base import Attached, CardRef, Door, Incoming, Person, Place

State = Literal["open", "done", "silent", "deleted"]
_DAY_S = 86400.0
_BUSY_S = 30.0  # how long a second process may hold SQLite's only pen
_LOOK_S = 1.0  # how often a bot that waits for another's end looks

DATABASE_ERRORS = (SQLAlchemyError, OSError)  # what any method raises when it is away

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
    Column("owner", String(32)),  # the bot that works on it
    Column("lease_until", Float),  # then it is anybody's, unless the owner has said so again
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


@dataclass(frozen=True)
class Past:
    """A question as a report sees it."""

    id: str
    platform: str
    asker_id: str
    unasked: bool
    text: str
    state: State
    answer: Answer | None
    solved: bool
    asked_at: float
    done_at: float | None


class Store:
    """Questions, deliveries, feedback; one SQLite file, or a PostgreSQL database.

    async with Store("sqlite+aiosqlite:////var/lib/torchmedic/torchmedic.db") as store:
        asked = await store.take(incoming)   # None: this delivery is known
    """

    def __init__(self, url: str, lease_s: float = 30) -> None:
        """A store at an SQLAlchemy URL (`sqlite+aiosqlite:///…`, `postgresql+asyncpg://…`).

        Args:
            url: where.
            lease_s: how long a question is ours after we last said so.
        """
        self._engine = _engine(url)
        self.shared = not url.startswith("sqlite")  # other bots may be at it
        self.lease_s = lease_s
        self._me = secrets.token_hex(8)  # a process that starts again is another one
        file = self._engine.url.database if url.startswith("sqlite") else ""
        self.file = Path(file) if file and file != ":memory:" else None  # SQLite's

    @classmethod
    def at(cls, url: str, state: Path, lease_s: float = 30, *, make: bool = True) -> Store:
        """The store that the settings name; an empty URL is a file in the state folder.

        Args:
            url: `store.url`.
            state: the state folder.
            lease_s: as for `Store`.
            make: the folder, where it is missing.

        Raises:
            StateError: the folder cannot be made, or the URL names no database we know.
        """
        if not url:
            try:
                if make:
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
        return cls(url, lease_s)

    async def open(self) -> None:
        """Make what is missing, and bring an older schema up to date.

        Raises:
            StateError: the database cannot be reached or written; the text never holds its URL.
        """
        try:
            async with self._engine.begin() as db:
                await db.run_sync(migrations.upgrade)
        except migrations.NewerSchemaError as e:
            raise StateError(_NEWER) from e
        except DATABASE_ERRORS as e:
            raise StateError(f"the store cannot be opened ({_first(e)}); check store.url") from e

    async def look(self) -> str:
        """Look at the database, changing nothing.

        Returns:
            where it is and what state it is in, in words; never a password.

        Raises:
            StateError: it cannot be used as it is; the finding and the next step.
        """
        if self.file is not None and not self.file.exists():
            return f"{self.file}: not there yet, made when a bot starts"
        where = str(self.file or f"PostgreSQL, {self._engine.url.database}")
        try:
            async with self._engine.connect() as db:
                return f"{where}: {await db.run_sync(_looked)}"
        except migrations.NewerSchemaError as e:
            raise StateError(_NEWER) from e
        except DATABASE_ERRORS as e:
            raise StateError(f"{where} cannot be read ({_first(e)}); check store.url") from e

    async def clock(self) -> float | None:
        """The database's time in seconds since 1970; None where it has no clock of its own."""
        if not self.shared:
            return None
        async with self._engine.connect() as db:
            return float((await db.execute(select(self._now()))).scalar_one())

    @asynccontextmanager
    async def alone(self, front: str, waits: Callable[[str], None]) -> AsyncIterator[None]:
        """Be the only bot of this front end at this store while the block runs.

        With SQLite a second one is refused: it would take up what the first is working on. With
        PostgreSQL it waits for the first one's end. However that comes, the lock goes with it.

        Args:
            front: "slack" or "discord".
            waits: told, once, that and for what it has to wait.

        Raises:
            StateError: another process is there already.
        """
        if self.shared:
            async with self._engine.connect() as db:
                lock = text("SELECT pg_try_advisory_lock(hashtext(:name))")
                told = False
                while not (await db.execute(lock, {"name": f"torchmedic {front}"})).scalar_one():
                    await db.rollback()
                    if not told:
                        waits(f"another bot answers in {front.title()}; waiting to take its place")
                        told = True
                    await asyncio.sleep(_LOOK_S)
                await db.commit()  # the lock is the connection's, not the transaction's
                yield
        elif self.file is None:
            yield
        else:
            path = self.file.with_name(f"{self.file.name}.{front}.lock")
            with path.open("w") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as e:
                    raise StateError(
                        f"{self.file}: another process answers in {front.title()} from this file, "
                        "and SQLite serves one; stop that one, or set store.url to a PostgreSQL "
                        "database, which any number can share"
                    ) from e
                yield

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
                        showing=False, solved=False, asked_at=time.time(), **self._lease(),
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
        """What was taken in and not answered, oldest first."""
        return await self._all(_questions.c.platform == platform, _questions.c.state == "open")

    async def finished(self, since: float) -> list[Stored]:
        """What was answered of all that was asked since a moment (seconds since 1970)."""
        return await self._all(_questions.c.state == "done", _questions.c.asked_at >= since)

    # -- leases ------------------------------------------------------------------------------

    async def claim(self, platform: str, most: int | None = None) -> list[Stored]:
        """Make unfinished questions that nobody works on ours, oldest first.

        Args:
            platform: whose.
            most: no more than so many.
        """
        free = [_questions.c.platform == platform, _questions.c.state == "open"]
        if self.shared:  # with SQLite we are alone, so whoever had them is dead
            free.append(
                or_(_questions.c.lease_until.is_(None), _questions.c.lease_until < self._now())
            )
        async with self._engine.begin() as db:
            found = select(_questions.c.id).where(*free).order_by(_questions.c.asked_at).limit(most)
            # Two bots that look at the same moment each get other ones.
            ids = list((await db.execute(found.with_for_update(skip_locked=True))).scalars())
            if ids:
                await db.execute(
                    update(_questions).where(_questions.c.id.in_(ids)).values(**self._lease())
                )
        return await self._all(_questions.c.id.in_(ids)) if ids else []

    async def renew(self, ids: Collection[str]) -> set[str]:
        """Say again that these are ours; those that still are."""
        ours = (_questions.c.id.in_(ids), _questions.c.owner == self._me)
        async with self._engine.begin() as db:
            await db.execute(
                update(_questions)
                .where(*ours, _questions.c.state == "open")
                .values(**self._lease())
            )
            return set((await db.execute(select(_questions.c.id).where(*ours))).scalars())

    async def hold(self, id: str, revision: int, *, showing: bool = False) -> bool:
        """Whether this wording of a question is open and ours; if so, for a whole lease from now.

        Args:
            id: which.
            revision: its wording as we know it.
            showing: from now on a card may exist; said before it is made, so that a crash cannot
                hide it.
        """
        values: dict[str, Any] = self._lease() if self.shared else {}
        if showing:
            values["showing"] = True
        async with self._engine.begin() as db:
            if not values:
                found = await db.execute(select(_questions.c.id).where(*self._ours(id, revision)))
                return found.first() is not None
            held = await db.execute(
                update(_questions).where(*self._ours(id, revision)).values(**values)
            )
        return bool(held.rowcount)

    async def release(self) -> None:
        """Leave what is unfinished to others, at once."""
        if self.shared:
            async with self._engine.begin() as db:
                await db.execute(
                    update(_questions)
                    .where(_questions.c.owner == self._me, _questions.c.state == "open")
                    .values(owner=None, lease_until=None)
                )

    # -- what becomes of a question ----------------------------------------------------------

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
        values |= self._lease()  # whoever else works on it writes nothing any more
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

    async def shown(self, id: str, card: CardRef | None) -> bool:
        """The card is there; False if the question went to another bot or was taken back."""
        async with self._engine.begin() as db:
            kept = await db.execute(
                update(_questions)
                .where(
                    _questions.c.id == id,
                    _questions.c.owner == self._me,
                    _questions.c.state != "deleted",
                )
                .values(card=card.model_dump_json() if card is not None else None)
            )
        return bool(kept.rowcount)

    async def answered(self, id: str, revision: int, answer: Answer) -> bool:
        """Keep the answer before it is shown; False if the question changed, or is not ours."""
        async with self._engine.begin() as db:
            done = await db.execute(
                update(_questions)
                .where(*self._ours(id, revision))
                .values(answer=_storable(answer.model_dump_json()))
            )
        return bool(done.rowcount)

    async def done(self, id: str, revision: int, state: State = "done") -> None:
        """The answer is shown (or there is nothing to show): nothing is left to do."""
        async with self._engine.begin() as db:
            await db.execute(
                update(_questions)
                .where(*self._ours(id, revision))
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

    # -- looking back ------------------------------------------------------------------------

    async def since(self, when: float) -> AsyncIterator[Past]:
        """What was asked since then, oldest first, one at a time: a week may be long."""
        q = _questions.c
        asked = select(
            q.id, q.platform, q.asker_id, q.unasked, q.text, q.state, q.answer, q.solved,
            q.asked_at, q.done_at,
        ).where(q.asked_at >= when, q.state != "deleted").order_by(q.asked_at)  # fmt: skip
        async with self._engine.connect() as db:
            async for row in await db.stream(asked):
                words = row._asdict()
                answer = words.pop("answer")
                yield Past(**words, answer=Answer.model_validate_json(answer) if answer else None)

    async def verdicts(self, when: float) -> list[tuple[str, str]]:
        """(question, verdict) of everything that people said since then."""
        said = select(_feedback.c.question, _feedback.c.verdict).where(_feedback.c.at >= when)
        async with self._engine.connect() as db:
            return [(row.question, row.verdict) for row in await db.execute(said)]

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

    async def forget_person(self, person: str, platform: str = "") -> tuple[int, int]:
        """Delete what somebody asked and said, at once.

        Args:
            person: their id on the platform.
            platform: only there; empty: everywhere.

        Returns:
            how many questions went, and how many pieces of feedback (theirs, and on theirs).
        """
        theirs = [_questions.c.asker_id == person]
        if platform:
            theirs.append(_questions.c.platform == platform)
        asked = select(_questions.c.id).where(*theirs)
        on_platform = select(_questions.c.id)
        if platform:
            on_platform = on_platform.where(_questions.c.platform == platform)
        async with self._engine.begin() as db:
            said = await db.execute(
                delete(_feedback).where(
                    or_(
                        _feedback.c.question.in_(asked),
                        and_(_feedback.c.person == person, _feedback.c.question.in_(on_platform)),
                    )
                )
            )
            gone = await db.execute(delete(_questions).where(*theirs))
        return int(gone.rowcount), int(said.rowcount)

    # -- inside ------------------------------------------------------------------------------

    def _ours(self, id: str, revision: int) -> tuple[ColumnElement[bool], ...]:
        """What must be so of a question that we still may answer."""
        return (
            _questions.c.id == id,
            _questions.c.revision == revision,
            _questions.c.state == "open",
            _questions.c.owner == self._me,
        )

    def _lease(self) -> dict[str, Any]:
        return {"owner": self._me, "lease_until": self._now() + self.lease_s}

    def _now(self) -> ColumnElement[float]:
        """The one clock that all bots share: the database's."""
        if self.shared:
            return cast(extract("epoch", func.clock_timestamp()), Float)
        return literal(time.time())

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


_NEWER = (
    "the database was written by a newer Torchmedic; install that version again, or restore the "
    "back-up from before it (docs/operations.md)"
)


def _first(error: Exception) -> str:
    """The first line of what a database says; never its URL."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def _looked(db: Connection) -> str:
    """What state a database is in.

    Raises:
        StateError: something of it is missing or damaged.
    """
    known = migrations.revision(db)
    if db.dialect.name == "sqlite":
        said = db.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if said != "ok":
            raise StateError(f"the database is damaged ({said}); {_RESTORE}")
    there = inspect(db)
    tables = set(there.get_table_names())
    if known is None and not tables & set(_tables.tables):
        return "empty, filled when a bot starts"
    if migrations.is_unknown(known):
        raise migrations.NewerSchemaError
    old = known != migrations.head()
    missing = [name for name in _tables.tables if name not in tables]
    if not old:
        missing += [
            f"{name}.{column.name}"
            for name, table in _tables.tables.items() if name in tables
            for column in table.columns
            if column.name not in {c["name"] for c in there.get_columns(name)}
        ]  # fmt: skip
    if missing:
        raise StateError(f"the database lacks {', '.join(missing)}; {_RESTORE}")
    n = db.execute(select(func.count()).select_from(_questions)).scalar_one()
    state = f"schema {known or 'from before it had numbers'}"
    return (
        f"{state}, brought to {migrations.head()} when a bot starts"
        if old
        else f"{state}, {n} questions"
    )


_RESTORE = "stop the bots and restore the last back-up (docs/operations.md)"


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
