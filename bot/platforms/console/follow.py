"""Follow one answer on the console, without a store: show the steps, then the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from bot.models import Answer, Progress


class AnswerCard(Protocol):
    """One message on one platform: shows the steps, and becomes the answer."""

    async def step(self, progress: Progress) -> None:
        """Show what is being done."""

    async def finish(self, answer: Answer) -> None:
        """Show the answer."""


async def follow(said: AsyncIterator[Progress | Answer], card: AnswerCard) -> Answer:
    """Keep a card up to date until the answer is there, and return it."""
    async for thing in said:
        if isinstance(thing, Answer):
            await card.finish(thing)
            return thing
        await card.step(thing)
    raise AssertionError("the last thing said is always the answer")
