"""Words that are the same wherever an answer is shown: its status, and a stranger's own text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `torchmedic --help` lists names, and must stay quick
    from bot.models import Status

# Symbol and word: never a colour or a symbol alone.
STATUS: dict[Status, tuple[str, str]] = {
    "fixed": ("✔", "Reproduced and fixed"),
    "reproduced": ("✘", "Reproduced, no verified fix"),
    "runs": ("○", "Runs here"),
    "advice": ("●", "Explained, nothing was run"),
    "unsure": ("?", "Not sure"),
    "not_run": ("!", "Could not run it"),
}

# Instead of the status's word where the posted error or code is explained by its text alone.
FROM_THE_TEXT = "Read, not run"
# … and where the run raised another error than the posted one.
ANOTHER_ERROR = "Another error here"

# What to do, as an article or the catalogue says: nobody ran it on this code. The second where it
# is not certain either that this is the cause.
ADVICE = "Try"
UNSURE_ADVICE = "Perhaps"

# Control characters but tab and newline, the marks that turn text around, halves of characters.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def harmless(text: str) -> str:
    """A stranger's text that can move no cursor, ring no bell and turn no line around."""
    return _HARMFUL.sub("�", text.replace("\r\n", "\n").expandtabs(8))


def listed(names: Sequence[str], last: str = "and") -> str:
    """The names in a sentence: `a`, `a and b`, `a, b and c`."""
    *others, final = names
    return f"{', '.join(others)} {last} {final}" if others else final
