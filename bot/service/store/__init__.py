"""The store: all that a bot keeps of its conversations, written before anything is acknowledged."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Executable, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.models import Answer, RunWith
from bot.service.seam import Attached, CardRef, Incoming, Person, Place
from bot.service.store.database import Database
from bot.service.store.leases import Leases
from bot.service.store.stored import State, Stored, attachments_as_json, find, storable
from bot.service.store.tables import EVENTS, FEEDBACK, QUESTIONS, SUPPORT, THREADS
from bot.settings import SupportChannel

_CONVERSATION_S = 3600.0  # how long a direct message may be about the one before it


class Store:
    """Questions, deliveries and feedback.

    async with Store.at(settings.store.url, settings.state_folder) as store:
        asked = await store.take(incoming)   # None: this delivery is known
        ...
        await store.leases.hold(asked.id, asked.revision)   # it is still ours to answer
    """

    def __init__(self, database: Database, lease_s: float = 30) -> None:
        """A store in a database.

        Args:
            database: where.
            lease_s: how long a question stays ours after its lease was last renewed.
        """
        self.database = database
        self.leases = Leases(database, lease_s)
        self._engine = database.engine

    @classmethod
    def at(cls, url: str, state: Path, lease_s: float = 30) -> Store:
        """The store that the settings name.

        Raises:
            StateError: as `Database.at` says.
        """
        return cls(Database.at(url, state), lease_s)

    async def __aenter__(self) -> Store:
        await self.database.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.database.close()

    # -- questions -----------------------------------------------------------------------------

    async def take(self, incoming: Incoming) -> Stored | None:
        """Store a question and its delivery in one step; None if this delivery is known."""
        id = secrets.token_hex(8)
        question = insert(QUESTIONS).values(
            id=id,
            platform=incoming.place.platform,
            asker_id=incoming.asker.id,
            asker=incoming.asker.model_dump_json(),
            place=incoming.place.model_dump_json(),
            message_key=incoming.place.message_key,
            thread_key=incoming.place.thread_key,
            door=incoming.door,
            unasked=incoming.unasked,
            text=storable(incoming.text),
            attachments=attachments_as_json(incoming.attachments),
            run_with=RunWith().model_dump_json(),
            state="open",
            revision=0,
            showing=False,
            solved=False,
            asked_at=time.time(),
            **self.leases.a_lease(),
        )
        return await self.get(id) if await self._once(incoming.event, question) else None

    async def first_time(self, delivery: str) -> bool:
        """Store a delivery that changes nothing here; return whether it is the first."""
        return await self._once(delivery)

    async def is_known(self, delivery: str) -> bool:
        """Whether this delivery was kept before."""
        async with self._engine.connect() as db:
            found = await db.execute(select(EVENTS.c.id).where(EVENTS.c.id == _short(delivery)))
            return found.first() is not None

    async def get(self, id: str) -> Stored | None:
        """A question by its id."""
        return await self._one(QUESTIONS.c.id == id)

    async def by_message(self, place: Place) -> Stored | None:
        """The question that this message asked."""
        if not place.message_key:
            return None
        return await self._one(QUESTIONS.c.message_key == place.message_key)

    async def in_thread(self, place: Place) -> list[Stored]:
        """The questions of a thread, oldest first."""
        if not place.thread_key:
            return []
        return await find(self.database, QUESTIONS.c.thread_key == place.thread_key)

    async def before(self, asked: Stored) -> list[Stored]:
        """The questions that this one may follow, oldest first.

        Those of its thread, or, where a direct conversation has none, those of its last hour.
        """
        q = QUESTIONS.c
        if asked.place.thread_key and (found := await self.in_thread(asked.place)):
            there = [e for e in found if e.id != asked.id and e.asked_at <= asked.asked_at]
            if there or asked.door != "direct":
                return [e for e in there if e.text]
        if asked.door != "direct":
            return []
        found = await find(
            self.database,
            q.platform == asked.place.platform,
            q.asker_id == asked.asker.id,
            q.door == "direct",
            q.asked_at < asked.asked_at,
            q.asked_at > asked.asked_at - _CONVERSATION_S,
        )
        return [e for e in found if e.text and e.place.channel == asked.place.channel]

    async def of_person(self, platform: str, person: str, limit: int = 5) -> list[Stored]:
        """Somebody's last questions, the latest first."""
        q = QUESTIONS.c
        async with self._engine.connect() as db:
            rows = await db.execute(
                select(q.id)
                .where(q.platform == platform, q.asker_id == person, q.state.in_(("open", "done")))
                .order_by(q.asked_at.desc())
                .limit(limit)
            )
            ids = [row.id for row in rows]
        found = await find(self.database, q.id.in_(ids)) if ids else []
        return found[::-1]

    async def direct_places(self, platform: str, limit: int = 50) -> list[Place]:
        """The places of direct messages, the latest first; one a channel."""
        async with self._engine.connect() as db:
            rows = await db.execute(
                select(QUESTIONS.c.place)
                .where(QUESTIONS.c.platform == platform, QUESTIONS.c.door == "direct")
                .order_by(QUESTIONS.c.asked_at.desc())
                .limit(limit)
            )
            places = [Place.model_validate_json(row.place) for row in rows]
        return list({place.channel: place for place in places}.values())

    # -- a question's state ------------------------------------------------------------------

    async def again(
        self,
        id: str,
        delivery: str,
        *,
        text: str | None = None,
        attachments: Sequence[Attached] | None = None,
        run_with: RunWith | None = None,
        place: Place | None = None,
    ) -> Stored | None:
        """Open a question again: its message was edited, or it should run with other options.

        A place is given if the click brought a new address to answer to.

        Returns:
            the question as it is now; None if this delivery of the edit or the click is known.
        """
        values: dict[str, Any] = {
            "state": "open",
            "solved": False,
            "answer": None,
            "revision": QUESTIONS.c.revision + 1,
        }
        values |= self.leases.a_lease()  # whoever else works on it writes nothing any more
        if text is not None:
            values["text"] = storable(text)
        if attachments is not None:
            values["attachments"] = attachments_as_json(attachments)
        if run_with is not None:
            values["run_with"] = run_with.model_dump_json()
        if place is not None:
            values["place"] = place.model_dump_json()
        opened = (
            update(QUESTIONS)
            .where(QUESTIONS.c.id == id, QUESTIONS.c.state != "deleted")
            .values(**values)
        )
        return await self.get(id) if await self._once(delivery, opened) else None

    async def rerun(
        self, asked: Stored, delivery: str, run_with: RunWith, place: Place
    ) -> Stored | None:
        """Ask a question once more, with other options, as a question with a card of its own.

        Returns:
            the new question, which no edit of the message reaches; None if this delivery is known.
        """
        id = secrets.token_hex(8)
        question = insert(QUESTIONS).values(
            id=id,
            platform=place.platform,
            asker_id=asked.asker.id,
            asker=asked.asker.model_dump_json(),
            place=place.model_dump_json(),
            message_key="",
            thread_key=place.thread_key,
            door=asked.door,
            unasked=False,
            text=asked.text,
            attachments=attachments_as_json(asked.attachments),
            run_with=run_with.model_dump_json(),
            state="open",
            revision=0,
            showing=False,
            solved=False,
            asked_at=time.time(),
            **self.leases.a_lease(),
        )
        return await self.get(id) if await self._once(delivery, question) else None

    async def of_message(self, place: Place) -> list[Stored]:
        """The question that a message asked, and its reruns."""
        asked = await self.by_message(place)
        if asked is None:
            return []
        others = await self.in_thread(asked.place)
        return [asked, *(q for q in others if q.id != asked.id and _same_message(q, asked))]

    async def shown(self, id: str, card: CardRef | None) -> bool:
        """Store the card; False if the question went to another bot or was deleted."""
        async with self._engine.begin() as db:
            kept = await db.execute(
                update(QUESTIONS)
                .where(
                    QUESTIONS.c.id == id,
                    self.leases.is_ours(),
                    QUESTIONS.c.state != "deleted",
                )
                .values(card=card.model_dump_json() if card is not None else None)
            )
        return bool(kept.rowcount)

    async def shared(self, id: str, place: Place, card: CardRef | None, delivery: str) -> bool:
        """A private answer stands where all see it; False if this delivery is known."""
        there = card.model_dump_json() if card is not None else None
        changed = (
            update(QUESTIONS)
            .where(QUESTIONS.c.id == id)
            .values(place=place.model_dump_json(), card=there, thread_key=place.thread_key)
        )
        return await self._once(delivery, changed)

    async def published(self, id: str, answer: Answer, delivery: str) -> bool:
        """A draft is posted with this answer; False if this delivery is known."""
        changed = (
            update(QUESTIONS)
            .where(QUESTIONS.c.id == id)
            .values(state="done", answer=storable(answer.model_dump_json()))
        )
        return await self._once(delivery, changed)

    async def placed(self, id: str, card: CardRef | None) -> None:
        """The card of a question that nobody works on stands there."""
        there = card.model_dump_json() if card is not None else None
        async with self._engine.begin() as db:
            await db.execute(update(QUESTIONS).where(QUESTIONS.c.id == id).values(card=there))

    async def solved_in(self, place: Place, limit: int = 100) -> list[Stored]:
        """The last questions of a channel that their askers called solved, the latest first."""
        q = QUESTIONS.c
        there = f"{place.platform}:{place.channel}:"
        async with self._engine.connect() as db:
            rows = await db.execute(
                select(q.id)
                .where(q.solved, q.state == "done", q.thread_key.startswith(there, autoescape=True))
                .order_by(q.asked_at.desc())
                .limit(limit)
            )
            ids = [row.id for row in rows]
        found = await find(self.database, q.id.in_(ids)) if ids else []
        return found[::-1]

    async def answered(self, id: str, revision: int, answer: Answer) -> bool:
        """Keep the answer before it is shown; False if the question changed, or is not ours."""
        async with self._engine.begin() as db:
            done = await db.execute(
                update(QUESTIONS)
                .where(self.leases.may_answer(id, revision))
                .values(answer=storable(answer.model_dump_json()))
            )
        return bool(done.rowcount)

    async def done(self, id: str, revision: int, state: State = "done") -> None:
        """The answer is shown (or there is nothing to show): nothing is left to do."""
        async with self._engine.begin() as db:
            await db.execute(
                update(QUESTIONS)
                .where(self.leases.may_answer(id, revision))
                .values(state=state, done_at=time.time())
            )

    async def deleted(self, id: str) -> None:
        """The asker took it back: text, files and answer go at once; where its card is stays."""
        values = {"state": "deleted", "text": "", "attachments": "[]", "answer": None}
        async with self._engine.begin() as db:
            await db.execute(update(QUESTIONS).where(QUESTIONS.c.id == id).values(**values))

    # -- feedback ----------------------------------------------------------------------------

    async def solved(self, question: str, person: Person, delivery: str) -> bool:
        """Store that the answer helped; False if this delivery is known."""
        solved = update(QUESTIONS).where(QUESTIONS.c.id == question).values(solved=True)
        return await self._once(delivery, solved, _verdict(question, person, "solved"))

    async def say(
        self, question: str, person: Person, verdict: str, delivery: str, words: str = ""
    ) -> bool:
        """Store another verdict: wrong (and why), human; False if this delivery is known."""
        return await self._once(delivery, _verdict(question, person, verdict, words))

    async def feedback(self, question: str) -> list[tuple[str, str, str]]:
        """The feedback on a question as (person, verdict, words), oldest first."""
        async with self._engine.connect() as db:
            rows = await db.execute(
                select(FEEDBACK).where(FEEDBACK.c.question == question).order_by(FEEDBACK.c.id)
            )
            return [(r.person, r.verdict, r.words) for r in rows]

    # -- threads -----------------------------------------------------------------------------

    async def team_spoke(self, place: Place) -> None:
        """Store that the team has written in this thread."""
        if not place.thread_key or await self.is_theirs(place):
            return
        try:
            async with self._engine.begin() as db:
                await db.execute(
                    insert(THREADS).values(key=place.thread_key, team_spoke=True, at=time.time())
                )
        except IntegrityError:
            pass  # stored at the same moment by another bot

    async def is_theirs(self, place: Place) -> bool:
        """Whether the team has written in this thread."""
        async with self._engine.connect() as db:
            row = (
                await db.execute(select(THREADS).where(THREADS.c.key == place.thread_key))
            ).first()
        return row is not None and bool(row.team_spoke)

    async def support(self, platform: str) -> dict[str, SupportChannel]:
        """The channels that were enabled from the chat, by their ids."""
        before = f"{platform}:"
        async with self._engine.connect() as db:
            rows = await db.execute(select(SUPPORT))
            return {
                row.key.removeprefix(before): SupportChannel.model_validate_json(row.settings)
                for row in rows
                if row.key.startswith(before)
            }

    async def set_support(
        self, platform: str, channel: str, settings: SupportChannel | None
    ) -> None:
        """Enable a channel with these settings, or disable it."""
        key = f"{platform}:{channel}"
        async with self._engine.begin() as db:
            await db.execute(delete(SUPPORT).where(SUPPORT.c.key == key))
            if settings is not None:
                kept = insert(SUPPORT).values(key=key, settings=settings.model_dump_json())
                await db.execute(kept)

    # -- inside ------------------------------------------------------------------------------

    async def _once(self, delivery: str, *changes: Executable) -> bool:
        """Store a delivery with its changes, both or neither; False if the delivery is known."""
        try:
            async with self._engine.begin() as db:
                await db.execute(insert(EVENTS).values(id=_short(delivery), at=time.time()))
                for change in changes:
                    await db.execute(change)
        except IntegrityError:
            return False
        return True

    async def _one(self, *where: ColumnElement[bool]) -> Stored | None:
        found = await find(self.database, *where)
        return found[-1] if found else None


def _same_message(one: Stored, other: Stored) -> bool:
    return one.place.message == other.place.message


def _verdict(question: str, person: Person, verdict: str, words: str = "") -> Executable:
    return insert(FEEDBACK).values(
        question=question, person=person.id, verdict=verdict, words=storable(words), at=time.time()
    )


def _short(delivery: str) -> str:
    """A delivery's id in the width of its column."""
    return delivery if len(delivery) <= 255 else hashlib.sha256(delivery.encode()).hexdigest()
