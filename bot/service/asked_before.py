"""Find a solved question of the same channel that is like this one."""

from __future__ import annotations

import re

from bot.models import Answer
from bot.service.store import Store
from bot.service.store.stored import Stored

_ALIKE = 0.3  # of the words and names of both, how many they share
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")


async def asked_before(asked: Stored, answer: Answer, store: Store) -> Stored | None:
    """The latest solved question of this channel with an error of the same family, if alike."""
    family = answer.error.family if answer.error is not None else ""
    if not family or asked.place.private:
        return None
    for other in await store.solved_in(asked.place):
        error = other.answer.error if other.answer is not None else None
        if other.id == asked.id or other.place.thread == asked.place.thread:
            continue
        if (
            error is not None
            and error.family == family
            and likeness(asked.text, other.text) >= _ALIKE
        ):
            return other
    return None


def likeness(one: str, other: str) -> float:
    """The share of words and names that two questions have in common, 0 to 1."""
    a, b = (set(_WORD.findall(text.lower())) for text in (one, other))
    return len(a & b) / len(a | b) if a | b else 0.0
