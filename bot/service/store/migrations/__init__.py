"""Bring a database to today's schema, whichever version of Torchmedic made it.

A change of the schema is a new file in `versions/`, and the same change in the store's `tables.py`;
files that were released are never edited. A test holds the two against each other.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect, text

_FOLDER = Path(__file__).parent
_FIRST = "0001"  # what `create_all` made before there were migrations, and wrote no number for
_LOCK = 0x746D6564  # PostgreSQL's locks have numbers; this one says "tmed"


class NewerSchemaError(Exception):
    """The database was written by a Torchmedic that is newer than this one."""


def upgrade(db: Connection) -> None:
    """Upgrade in one transaction, which the caller ends; two processes wait for each other.

    Raises:
        NewerSchemaError: it is beyond what this version knows.
    """
    if db.dialect.name == "sqlite":
        # The driver begins no transaction before CREATE or ALTER, so half of a change could stay.
        db.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = db
    try:
        if revision(db) is None and inspect(db).has_table("questions"):
            command.stamp(config, _FIRST)
        command.upgrade(config, "head")
    except CommandError as e:
        raise NewerSchemaError(str(e)) from e


def revision(db: Connection) -> str | None:
    """The number of a database's schema; None where there is none yet."""
    return MigrationContext.configure(db).get_current_revision()


def head() -> str:
    """The number of today's schema."""
    newest = ScriptDirectory(str(_FOLDER)).get_current_head()
    assert newest is not None
    return newest


def is_unknown(number: str | None) -> bool:
    """Whether a schema is none that this version has ever made."""
    known = {script.revision for script in ScriptDirectory(str(_FOLDER)).walk_revisions()}
    return number is not None and number not in known
