"""Lock a database for one bot of a front end: with SQLite a second one is refused, else waits."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy import text

from bot.errors import StateError
from bot.service.store.database import Database

_LOOK_S = 1.0  # how often a waiting bot tries the lock


@asynccontextmanager
async def alone(
    database: Database, front: str, waits: Callable[[str], None]
) -> AsyncIterator[None]:
    """Be the only bot of this front end at this database while the block runs.

    With SQLite a second one is refused: it would take over what the first is working on. With
    PostgreSQL it waits until the first one ends, however that happens, and with it its lock.

    Args:
        database: need not be open.
        front: "slack" or "discord".
        waits: called once with a text if it has to wait.

    Raises:
        StateError: another process is there already.
    """
    if database.shared:
        async with database.engine.connect() as db:
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
    elif database.file is None:
        yield
    else:
        path = database.file.with_name(f"{database.file.name}.{front}.lock")
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as e:
                raise StateError(
                    f"{database.file}: another process answers in {front.title()} from this file, "
                    "and SQLite serves one; stop that one, or set store.url to a PostgreSQL "
                    "database, which any number can share"
                ) from e
            yield
