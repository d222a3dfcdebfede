"""The tables of the store, in today's schema; `bot/migrations` makes them."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, MetaData, String, Table, Text

SCHEMA = MetaData()

# Every delivery ever received, so that a second one is recognised, whenever it comes.
EVENTS = Table(
    "events",
    SCHEMA,
    Column("id", String(255), primary_key=True),
    Column("at", Float, nullable=False, index=True),
)

QUESTIONS = Table(
    "questions",
    SCHEMA,
    Column("id", String(32), primary_key=True),
    Column("platform", String(20), nullable=False),
    Column("asker_id", String(64), nullable=False),
    Column("asker", Text, nullable=False),  # Person
    Column("place", Text, nullable=False),  # Place
    Column("message_key", String(255), nullable=False, index=True),
    Column("thread_key", String(255), nullable=False, index=True),
    Column("door", String(20), nullable=False),
    Column("unasked", Boolean, nullable=False),
    Column("text", Text, nullable=False),
    Column("attachments", Text, nullable=False),  # list of Attached
    Column("run_with", Text, nullable=False),  # RunWith
    # open: to be answered · done · silent: nobody asked and there was nothing to say · deleted
    Column("state", String(10), nullable=False),
    Column("revision", Integer, nullable=False),  # counts edits and reruns
    Column("showing", Boolean, nullable=False),  # a card may exist that `card` does not know yet
    Column("card", Text),  # CardRef
    Column("answer", Text),  # Answer
    Column("solved", Boolean, nullable=False),
    Column("asked_at", Float, nullable=False, index=True),
    Column("done_at", Float),
    Column("owner", String(32)),  # the bot that works on it
    Column("lease_until", Float),  # then any bot may take it, unless renewed
    Index("questions_open", "platform", "state"),
)

FEEDBACK = Table(
    "feedback",
    SCHEMA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("question", String(32), nullable=False, index=True),
    Column("person", String(64), nullable=False),
    Column("verdict", String(10), nullable=False),  # solved, wrong, human
    Column("words", Text, nullable=False),
    Column("at", Float, nullable=False),
)

# What `bot/service/manners.py` needs to know about a thread.
THREADS = Table(
    "threads",
    SCHEMA,
    Column("key", String(255), primary_key=True),
    Column("team_spoke", Boolean, nullable=False),
    Column("at", Float, nullable=False, index=True),
)

# Channels where we answer without being called, enabled from the chat; others are in the settings.
SUPPORT = Table(
    "support",
    SCHEMA,
    Column("key", String(255), primary_key=True),  # platform:channel
    Column("settings", Text, nullable=False),  # SupportChannel
)
