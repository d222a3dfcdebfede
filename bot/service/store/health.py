"""Check a database without changing it: its place, its state, its clock."""

from __future__ import annotations

from sqlalchemy import Connection, func, inspect, select

from bot.errors import StateError
from bot.service.store import migrations
from bot.service.store.database import DATABASE_ERRORS, NEWER, Database, first_line
from bot.service.store.tables import QUESTIONS, SCHEMA

_RESTORE = "stop the bots and restore the last back-up (docs/operations.md)"


async def look(database: Database) -> str:
    """Check a database, which need not be open.

    Returns:
        a sentence on where it is and its state; never a password.

    Raises:
        StateError: it cannot be used as it is; the finding and the next step.
    """
    if database.file is not None and not database.file.exists():
        return f"{database.file}: not there yet, made when a bot starts"
    where = str(database.file or f"PostgreSQL, {database.engine.url.database}")
    try:
        async with database.engine.connect() as db:
            return f"{where}: {await db.run_sync(_looked)}"
    except migrations.NewerSchemaError as e:
        raise StateError(NEWER) from e
    except DATABASE_ERRORS as e:
        raise StateError(f"{where} cannot be read ({first_line(e)}); check store.url") from e


async def clock(database: Database) -> float | None:
    """The database's time in seconds since 1970; None where it has no clock of its own."""
    if not database.shared:
        return None
    async with database.engine.connect() as db:
        return float((await db.execute(select(database.now()))).scalar_one())


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
    if known is None and not tables & set(SCHEMA.tables):
        return "empty, filled when a bot starts"
    if migrations.is_unknown(known):
        raise migrations.NewerSchemaError
    old = known != migrations.head()
    # An older schema has fewer tables: what it lacks is made when a bot starts.
    wanted = {QUESTIONS.name: QUESTIONS} if old else SCHEMA.tables
    missing = [name for name in wanted if name not in tables]
    if not old:
        missing += [
            f"{name}.{column.name}"
            for name, table in SCHEMA.tables.items()
            if name in tables
            for column in table.columns
            if column.name not in {c["name"] for c in there.get_columns(name)}
        ]
    if missing:
        raise StateError(f"the database lacks {', '.join(missing)}; {_RESTORE}")
    n = db.execute(select(func.count()).select_from(QUESTIONS)).scalar_one()
    state = f"schema {known or 'from before it had numbers'}"
    return (
        f"{state}, brought to {migrations.head()} when a bot starts"
        if old
        else f"{state}, {n} questions"
    )
