"""Leave out what is no Python in a program, where all the rest is."""

from __future__ import annotations

import ast
import re

from executor.errors import family_of
from executor.protocol import Rebuilt

_MOST = 4  # lines
_OF_ALL = 3  # lines that stay for each that does not
_NEVER_CLOSED = re.compile(r"was never closed|unterminated")


def without_what_is_no_python(code: str) -> tuple[int, ...] | None:
    """The lines that are left out so that the rest parses; None if too much would be."""
    lines = code.split("\n")
    most = min(_MOST, sum(bool(line.strip()) for line in lines) // _OF_ALL)
    out: set[int] = set()
    while True:
        try:
            ast.parse(Rebuilt(left_out=tuple(sorted(out))).of(code))
        except SyntaxError as e:
            more = {n for n in _at(e, len(lines)) if lines[n - 1].strip()} - out
            out |= more
            if not more or len(out) > most:
                return None
        except (ValueError, RecursionError):
            return None
        else:
            return tuple(sorted(out))


def _at(error: SyntaxError, last: int) -> set[int]:
    """The lines to leave out next: a header without a body, the rest of what is not closed."""
    said = error.msg or ""
    seen = family_of(type(error).__name__, said)
    if seen is not None and seen.id == "body_missing" and seen["head"].isdigit():
        return {seen.number("head")}
    line = error.lineno or 0
    return set(range(line, last + 1)) if _NEVER_CLOSED.search(said) else {min(line, last)}
