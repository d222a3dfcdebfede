"""Sort what ended a run, or was caught in it, into a dozen topics: the chart's rows."""

from __future__ import annotations

from executor.errors import topic_of

NONE = "no error"


def family(type: str, message: str) -> str:
    """The topic of an exception."""
    return topic_of(type, message)
