"""What one article's module in this folder says, and how a program is changed into a wrong fix.

A module is named after its article, with underscores, and holds a `CASES = Cases(...)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Change = Callable[[str], str]


@dataclass(frozen=True)
class Cases:
    """Programs of our own for one codemod.

    Args:
        mended: name → (program, what its verified fix must contain). Three at least, each from
            another setting.
        paired: name → (program, what each of its verified alternatives must contain).
        refused: name → a program that shows the mistake and where no edit is honest: neither a
            fix nor an alternative may be offered. Two at least.
        wrong: name → (name of a mended or paired program, what a tempting wrong fix would do to
            it): each must come out unverified. Think of detach, try/except, deleting the line,
            throwing the value away, `.data`, and of the family's own temptation.
        asked: the words that the programs are posted with, where they matter.
        simulate: the device that they need.
    """

    mended: Mapping[str, tuple[str, str]]
    refused: Mapping[str, str]
    wrong: Mapping[str, tuple[str, Change]]
    paired: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    asked: str = "what is wrong here?"
    simulate: Literal["cuda"] | None = None

    def program(self, name: str) -> str:
        """A mended or paired program by its name."""
        return (self.mended.get(name) or self.paired[name])[0]


def swap(old: str, new: str) -> Change:
    """Replace what must be there."""

    def change(code: str) -> str:
        assert old in code, f"{old!r} is not in the program"
        return code.replace(old, new)

    return change


def swallow(line: str) -> Change:
    """try/except around a line."""

    def change(code: str) -> str:
        whole = next((s for s in code.splitlines() if s.strip() == line), None)
        assert whole is not None, f"there is no line {line!r}"
        pad = whole[: len(whole) - len(whole.lstrip())]
        block = f"{pad}try:\n{pad}    {line}\n{pad}except Exception:\n{pad}    pass\n"
        return code.replace(whole + "\n", block)

    return change


def delete(line: str) -> Change:
    """Leave a line out."""

    def change(code: str) -> str:
        whole = next((s for s in code.splitlines() if s.strip() == line), None)
        assert whole is not None, f"there is no line {line!r}"
        return code.replace(whole + "\n", "")

    return change
