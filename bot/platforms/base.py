"""What every platform shares: the status in words, text made harmless, one card for one answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Protocol

from bot.models import Answer, Progress, Proof, Status

# Symbol and word: never a colour or a symbol alone.
STATUS: dict[Status, tuple[str, str]] = {
    "fixed": ("✔", "Reproduced and fixed"),
    "reproduced": ("✘", "Reproduced, no verified fix"),
    "runs": ("○", "Runs here"),
    "advice": ("●", "Explained, nothing was run"),
    "unsure": ("?", "Not sure"),
    "not_run": ("!", "Could not run it"),
}

# Control characters but tab and newline, and the marks that turn text around.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Card(Protocol):
    """One message on one platform: shows the steps, and becomes the answer."""

    async def step(self, progress: Progress) -> None:
        """Show what is being done."""

    async def finish(self, answer: Answer) -> None:
        """Show the answer."""


async def follow(said: AsyncIterator[Progress | Answer], card: Card) -> Answer:
    """Keep a card up to date until the answer is there, and return it."""
    async for thing in said:
        if isinstance(thing, Answer):
            await card.finish(thing)
            return thing
        await card.step(thing)
    raise AssertionError("the last thing said is always the answer")


def harmless(text: str) -> str:
    """A stranger's text that can move no cursor, ring no bell and turn no line around."""
    return _HARMFUL.sub("�", text.replace("\r\n", "\n").expandtabs(8))


def proof_in_words(proof: Proof | None) -> str:
    """When a source was last run, and whether it held."""
    if proof is None or proof.holds is None:
        return "not checked here"
    held = "holds" if proof.holds else "does not hold"
    return f"checked on torch {proof.torch}, {held}"
