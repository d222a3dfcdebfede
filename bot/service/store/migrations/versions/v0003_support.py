"""Support channels that were enabled from the chat."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Those of the settings are not in the database."""
    op.create_table(
        "support",
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("settings", sa.Text, nullable=False),
    )
