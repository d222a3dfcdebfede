"""What the pipeline knows of a proposer: nobody, unless an operator configures a model."""

from __future__ import annotations

from typing import Literal, Protocol

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.how_to import is_near_enough
from bot.models import Origin
from knowledge.search.search import Hit

Wanted = Literal["fix", "example", ""]


class Proposer(Protocol):
    """Somebody who proposes where the bot's own ways end; runs decide what becomes of it."""

    @property
    def name(self) -> str:
        """What answers call it."""

    def serves(self, origin: Origin) -> bool:
        """Whether a question from there may go out to it."""

    async def propose(self, known: Diagnosis) -> Diagnosis:
        """The diagnosis with what came of it: a fix that a run verified, or an example that ran."""

    async def check(self) -> str:
        """Try it with one request; what came back. ProposerError where nothing did."""

    async def close(self) -> None:
        """Close what it holds open."""


class Nobody:
    """No proposer: nothing goes out."""

    name = ""

    def serves(self, origin: Origin) -> bool:
        """Never."""
        return False

    async def propose(self, known: Diagnosis) -> Diagnosis:
        """The diagnosis as it is."""
        return known

    async def check(self) -> str:
        """There is nobody to try."""
        return "no model is configured"

    async def close(self) -> None:
        """Nothing is open."""


def wants(known: Diagnosis) -> Wanted:
    """What a proposer could do here: mend what a run showed, show how something is done, nothing.

    A fix is wanted where a run showed a mistake of the person's own that nothing else mends; an
    example of a question without code, where passages are near enough to lean on.
    """
    question, seen = known.question, known.reproduced
    if seen is None:
        asks = not question.code.strip() and question.traceback is None
        return "example" if asks and near(known) else ""
    if known.missing or known.demonstrated or known.fixes or seen.other_numbers or seen.made_up:
        return ""
    return "fix" if known.mistake.is_there else ""


def near(known: Diagnosis) -> tuple[Hit, ...]:
    """The passages that are about the question, the best first."""
    found = known.found
    return tuple(h for h in found.hits if is_near_enough(known.question, h, found))
