"""The database that the settings name: an SQLite file, or a PostgreSQL that bots share."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Float, cast, event, extract, func, literal
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from bot.errors import StateError
from bot.service.store import migrations

DATABASE_ERRORS = (SQLAlchemyError, OSError)  # what anything over it raises when it is away
NEWER = (
    "the database was written by a newer Torchmedic; install that version again, or restore the "
    "back-up from before it (docs/operations.md)"
)
_BUSY_S = 30.0  # how long to wait for another process that writes to SQLite


class Database:
    """A database, with the current schema once it is open.

    async with Database.at(settings.store.url, settings.state_folder) as database:
        async with database.engine.begin() as db:
            ...
    """

    def __init__(self, url: str) -> None:
        """Take an SQLAlchemy URL (`sqlite+aiosqlite:///…`, `postgresql+asyncpg://…`)."""
        self.engine = _engine(url)
        self.shared = not url.startswith("sqlite")  # other bots may use it
        file = self.engine.url.database if url.startswith("sqlite") else ""
        self.file = Path(file) if file and file != ":memory:" else None  # SQLite's

    @classmethod
    def at(cls, url: str, state: Path, *, make: bool = True) -> Database:
        """The database that the settings name; an empty URL is a file in the state folder.

        Args:
            url: `store.url`.
            state: the state folder.
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
        return cls(url)

    async def open(self) -> None:
        """Create what is missing, and migrate an older schema.

        Raises:
            StateError: the database cannot be reached or written; the text never holds its URL.
        """
        try:
            async with self.engine.begin() as db:
                await db.run_sync(migrations.upgrade)
        except migrations.NewerSchemaError as e:
            raise StateError(NEWER) from e
        except DATABASE_ERRORS as e:
            said = first_line(e)
            raise StateError(f"the store cannot be opened ({said}); check store.url") from e

    async def close(self) -> None:
        """Close the connections."""
        await self.engine.dispose()

    async def __aenter__(self) -> Database:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def now(self) -> ColumnElement[float]:
        """Seconds since 1970 by the database's clock, which all bots share."""
        if self.shared:
            return cast(extract("epoch", func.clock_timestamp()), Float)
        return literal(time.time())


def first_line(error: Exception) -> str:
    """The first line of a database error; never its URL."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def _engine(url: str) -> AsyncEngine:
    if not url.startswith("sqlite"):
        return create_async_engine(url, pool_pre_ping=True, hide_parameters=True)
    # Parameters hold what people wrote, so no database error may carry them into a log.
    options: dict[str, Any] = {"connect_args": {"timeout": _BUSY_S}, "hide_parameters": True}
    if url.endswith("://") or ":memory:" in url:
        options["poolclass"] = StaticPool  # a database in memory lives as long as its connection
    engine = create_async_engine(url, **options)

    @event.listens_for(engine.sync_engine, "connect")
    def _(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")  # a reader never waits for the writer
        cursor.execute("PRAGMA synchronous=FULL")  # what was committed survives a power cut
        cursor.close()

    return engine
