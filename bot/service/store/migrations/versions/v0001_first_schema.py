"""The first schema: questions, deliveries, feedback and threads."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """As the store made it before there were migrations."""
    op.create_table(
        "events",
        sa.Column("id", sa.String(255), primary_key=True),
        sa.Column("at", sa.Float, nullable=False, index=True),
    )
    op.create_table(
        "questions",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("asker_id", sa.String(64), nullable=False),
        sa.Column("asker", sa.Text, nullable=False),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("message_key", sa.String(255), nullable=False, index=True),
        sa.Column("thread_key", sa.String(255), nullable=False, index=True),
        sa.Column("door", sa.String(20), nullable=False),
        sa.Column("unasked", sa.Boolean, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("attachments", sa.Text, nullable=False),
        sa.Column("run_with", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("showing", sa.Boolean, nullable=False),
        sa.Column("card", sa.Text),
        sa.Column("answer", sa.Text),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("asked_at", sa.Float, nullable=False, index=True),
        sa.Column("done_at", sa.Float),
    )
    op.create_index("questions_open", "questions", ["platform", "state"])
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("question", sa.String(32), nullable=False, index=True),
        sa.Column("person", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(10), nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_table(
        "threads",
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("team_spoke", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False, index=True),
    )
