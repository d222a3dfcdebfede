"""Which lines of a rewrite are new, and which lines of the original they stand for."""

import difflib
from dataclasses import dataclass
from functools import lru_cache

from executor.protocol import JobResult

_OPEN, _CLOSED = "([{", ")]}"
_LONGEST = 60  # lines of one statement


@dataclass(frozen=True)
class Lines:
    """The lines of a rewrite, 1-based.

    Args:
        changed: those that the original has not.
        same: the others → their line in the original.
    """

    changed: frozenset[int]
    same: dict[int, int]

    def touched(self, before: JobResult) -> frozenset[int]:
        """The changed lines, and those on which the original's error was."""
        error = before.error
        lines = {f.line for f in before.frames[-1:]}
        lines |= {error.line} if error is not None and error.line is not None else set()
        return self.changed | {new for new, old in self.same.items() if old in lines}


@lru_cache(maxsize=64)
def lines_of(original: str, fixed: str) -> Lines:
    """Compare two codes line by line; a statement of which one line is new is new."""
    old, new = original.splitlines(), fixed.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    same: dict[int, int] = {}
    for i, j, n in matcher.get_matching_blocks():
        same |= {j + k + 1: i + k + 1 for k in range(n)}
    changed = {n for n in range(1, len(new) + 1) if n not in same}
    for first in list(same):
        if changed & _statement(new, first):
            changed.add(first)
    return Lines(frozenset(changed), {n: o for n, o in same.items() if n not in changed})


def _statement(lines: list[str], first: int) -> set[int]:
    """The lines that a bracket opened on this one reaches over; strings are not looked at."""
    depth = 0
    for n in range(first, min(first + _LONGEST, len(lines) + 1)):
        text = lines[n - 1].partition("#")[0]
        depth += sum(text.count(c) for c in _OPEN) - sum(text.count(c) for c in _CLOSED)
        if depth <= 0:
            return set(range(first, n + 1))
    return {first}
