"""What the question service tells whoever counts."""

from __future__ import annotations

from collections.abc import Callable

from bot.models import Answer


class Counters:
    """Hears what happens and counts nothing; whoever counts overrides what they count."""

    def watch(self, platform: str, waiting: Callable[[], int], working: Callable[[], int]) -> None:
        """A service opens; ask these how many questions wait and how many are worked on."""

    def asked(self, platform: str, door: str) -> None:
        """A question was taken in."""

    def answered(self, platform: str, answer: Answer, *, unasked: bool) -> None:
        """An answer was found; whether it is worth saying is asked later."""

    def shown(self, platform: str, seconds: float) -> None:
        """An answer stands in its card, so many seconds after the question was kept."""

    def clicked(self, platform: str, verb: str) -> None:
        """A button was pressed by somebody who may."""

    def taken_up(self, platform: str, questions: int) -> None:
        """Questions were taken over from a process that is gone."""

    def failed(self, platform: str) -> None:
        """A platform did not do what was asked."""
