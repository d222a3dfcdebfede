"""Leases: which bot works on a question, and until when it need not say so again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """What is open in an older database is nobody's, so the first bot takes it up."""
    op.add_column("questions", sa.Column("owner", sa.String(32)))
    op.add_column("questions", sa.Column("lease_until", sa.Float))
