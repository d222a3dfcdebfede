"""Show an operator what a model would be sent, and send nothing."""

from __future__ import annotations

from collections.abc import Callable

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.proposer.request import request_for
from bot.models import Origin


class ShownPrompt:
    """A proposer that only tells what would go out."""

    name = ""

    def __init__(self, show: Callable[[str], None]) -> None:
        """`show`: given each request as text."""
        self._show = show

    def serves(self, origin: Origin) -> bool:
        """Always: nothing goes out."""
        return True

    async def propose(self, known: Diagnosis) -> Diagnosis:
        """The diagnosis as it is, after its request was shown."""
        request = request_for(known)
        if request is not None:
            self._show(request.shown())
        return known

    async def check(self) -> str:
        """There is nobody to try."""
        return "nothing is sent"

    async def close(self) -> None:
        """Nothing is open."""
