"""How Alembic runs a migration: on the connection that `migrations.upgrade` brings along."""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # SQLite too can take back a CREATE TABLE, once a transaction has been begun by hand.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
