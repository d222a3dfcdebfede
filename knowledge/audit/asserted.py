"""Find what a block asserts of itself, in its code and in the words about it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.wording import HEDGED

_ASSERTED = re.compile(
    r"\bassert\w*\b[^.`]{0,30}\b(?:confirm|verif|show|demonstrate|pass|hold|validate|guarantee)",
    re.I,
)
_ASSERTS = re.compile(r"^\s*assert\b|\btesting\.assert_", re.M)
_AT_THE_MARGIN = re.compile(r"(?:assert\b|(?:\w+\.)*assert_(?:close|allclose|equal|array_equal)\()")


def asserted(told: tuple[str, ...], code: str) -> Iterator[Claim]:
    """`The assertion confirms that both are equal.`, and the assertions themselves."""
    for n, line in enumerate(code.split("\n"), 1):
        if _AT_THE_MARGIN.match(line):
            yield Claim(kind=ClaimKind.RUNS, text=line.strip(), line=n, end_line=n)
    for sentence in told:
        if _ASSERTED.search(sentence) and _ASSERTS.search(code) and not HEDGED.search(sentence):
            yield Claim(kind=ClaimKind.RUNS, text=sentence)
