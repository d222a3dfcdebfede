"""Leases on questions: the bot that works on one renews its lease before it runs out.

Several bots may share a PostgreSQL database. A bot that has lost a question to another one writes
nothing about it any more.
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
    """Claims, renews and checks this bot's leases."""

    def __init__(self, database: Database, lease_s: float) -> None:
        """Start without leases: a restarted process counts as another bot.

        Args:
            database: where the questions are.
            lease_s: how long a question stays ours after its lease was last renewed.
        """
        self._database = database
        self.lease_s = lease_s
        self._me = secrets.token_hex(8)

    # -- in a statement of the store ---------------------------------------------------------

    def a_lease(self) -> dict[str, Any]:
        """The column values that make a question ours, for a whole lease from now."""
        return {"owner": self._me, "lease_until": self._database.now() + self.lease_s}

    def is_ours(self) -> ColumnElement[bool]:
        """The SQL condition that this bot had the question last."""
        return _q.owner == self._me

    def may_answer(self, id: str, revision: int) -> ColumnElement[bool]:
        """The SQL condition that a question is open, ours, and not edited since."""
        return (_q.id == id) & (_q.revision == revision) & (_q.state == "open") & self.is_ours()

    # -- what a bot does ---------------------------------------------------------------------

    async def claim(self, platform: str, most: int | None = None) -> list[Stored]:
        """Claim unfinished questions that no bot works on, oldest first.

        Args:
            platform: the questions' platform.
            most: the most questions to claim; None: all.
        """
        free = [_q.platform == platform, _q.state == "open"]
        if self._database.shared:  # with SQLite we are alone: their former owner is dead
            free.append(or_(_q.lease_until.is_(None), _q.lease_until < self._database.now()))
        async with self._database.engine.begin() as db:
            found = select(_q.id).where(*free).order_by(_q.asked_at).limit(most)
            # Two bots that claim at the same moment get different questions.
            ids = list((await db.execute(found.with_for_update(skip_locked=True))).scalars())
            if ids:
                await db.execute(update(QUESTIONS).where(_q.id.in_(ids)).values(**self.a_lease()))
        return await find(self._database, _q.id.in_(ids)) if ids else []

    async def renew(self, ids: Collection[str]) -> set[str]:
        """Renew the leases of these questions; return those that are still ours."""
        ours = _q.id.in_(ids) & self.is_ours()
        async with self._database.engine.begin() as db:
            await db.execute(
                update(QUESTIONS).where(ours, _q.state == "open").values(**self.a_lease())
            )
            return set((await db.execute(select(_q.id).where(ours))).scalars())

    async def hold(self, id: str, revision: int, *, showing: bool = False) -> bool:
        """Renew the lease if the question is open, ours and not edited; return whether it is.

        Args:
            id: the question's id.
            revision: the revision that we work on.
            showing: note that a card may exist from now on; set before the card is made, so that
                it is found after a crash.
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
        """Give up all leases at once, so that other bots can claim the questions."""
        if self._database.shared:
            async with self._database.engine.begin() as db:
                await db.execute(
                    update(QUESTIONS)
                    .where(self.is_ours(), _q.state == "open")
                    .values(owner=None, lease_until=None)
                )
