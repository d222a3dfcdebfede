"""Whose a question is: who works on it says so again before the lease runs out.

Several bots may share a PostgreSQL database. Who has lost a question to another writes nothing of
it any more.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, or_, select, update

from bot.service.store.database import Database
from bot.service.store.stored import Stored, find
from bot.service.store.tables import QUESTIONS

_q = QUESTIONS.c


class Leases:
    """The questions that are ours, and how they become so."""

    def __init__(self, database: Database, lease_s: float) -> None:
        """None is ours: a process that starts again is another one.

        Args:
            database: where the questions are.
            lease_s: how long a question is ours after we last said so.
        """
        self._database = database
        self.lease_s = lease_s
        self._me = secrets.token_hex(8)

    # -- in a statement of the store ---------------------------------------------------------

    def a_lease(self) -> dict[str, Any]:
        """What is written to make a question ours, for a whole lease from now."""
        return {"owner": self._me, "lease_until": self._database.now() + self.lease_s}

    def is_ours(self) -> ColumnElement[bool]:
        """Whether we had a question last."""
        return _q.owner == self._me

    def may_answer(self, id: str, revision: int) -> ColumnElement[bool]:
        """Whether a question is open and ours, and its wording the one that we know."""
        return (_q.id == id) & (_q.revision == revision) & (_q.state == "open") & self.is_ours()

    # -- what a bot does ---------------------------------------------------------------------

    async def claim(self, platform: str, most: int | None = None) -> list[Stored]:
        """Make unfinished questions that nobody works on ours, oldest first.

        Args:
            platform: whose.
            most: no more than so many.
        """
        free = [_q.platform == platform, _q.state == "open"]
        if self._database.shared:  # with SQLite we are alone, so whoever had them is dead
            free.append(or_(_q.lease_until.is_(None), _q.lease_until < self._database.now()))
        async with self._database.engine.begin() as db:
            found = select(_q.id).where(*free).order_by(_q.asked_at).limit(most)
            # Two bots that look at the same moment each get other ones.
            ids = list((await db.execute(found.with_for_update(skip_locked=True))).scalars())
            if ids:
                await db.execute(update(QUESTIONS).where(_q.id.in_(ids)).values(**self.a_lease()))
        return await find(self._database, _q.id.in_(ids)) if ids else []

    async def renew(self, ids: Collection[str]) -> set[str]:
        """Say again that these are ours; those that still are."""
        ours = _q.id.in_(ids) & self.is_ours()
        async with self._database.engine.begin() as db:
            await db.execute(
                update(QUESTIONS).where(ours, _q.state == "open").values(**self.a_lease())
            )
            return set((await db.execute(select(_q.id).where(ours))).scalars())

    async def hold(self, id: str, revision: int, *, showing: bool = False) -> bool:
        """Whether this wording of a question is open and ours; if so, for a whole lease from now.

        Args:
            id: which.
            revision: its wording as we know it.
            showing: from now on a card may exist; said before it is made, so that a crash cannot
                hide it.
        """
        values: dict[str, Any] = self.a_lease() if self._database.shared else {}
        if showing:
            values["showing"] = True
        ours = self.may_answer(id, revision)
        async with self._database.engine.begin() as db:
            if not values:
                return (await db.execute(select(_q.id).where(ours))).first() is not None
            held = await db.execute(update(QUESTIONS).where(ours).values(**values))
        return bool(held.rowcount)

    async def release(self) -> None:
        """Leave what is unfinished to others, at once."""
        if self._database.shared:
            async with self._database.engine.begin() as db:
                await db.execute(
                    update(QUESTIONS)
                    .where(self.is_ours(), _q.state == "open")
                    .values(owner=None, lease_until=None)
                )
