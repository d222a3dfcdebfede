"""Blank what notebooks add to Python between the lines: magics, shell lines, foreign cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.messages.python_lines import START, opens_block, scan

_MAGIC = re.compile(
    r"\s*(?:[%!]|[A-Za-z_]\w* *= *[%!][A-Za-z]|\?{1,2}\w|[A-Za-z_][\w.]*\?{1,2}\s*$"
    r"|get_ipython\(\)\.\w+\(.*\)\s*$)"  # as in a notebook saved as .py
)
_FOREIGN_CELL = re.compile(
    r"\s*%%(?:bash|sh|script|system|sx|!|html|HTML|javascript|js|latex|markdown|svg|SVG"
    r"|perl|ruby|R|cmd|writefile|file|cython|sql|bigquery)\b"
)


def blank_magics(lines: Sequence[str]) -> tuple[list[str], str]:
    """Replace notebook magics by blank lines; a cell in another language is blanked whole.

    Returns:
        lines: as many as before.
        note: what was done, "" if nothing.
    """
    first = next((line for line in lines if line.strip()), "")
    if _FOREIGN_CELL.match(first):
        return [""] * len(lines), f"a {first.split()[0]} cell is not Python and was left out"

    kept: list[str] = []
    blanked = 0
    goes_on = False  # `!pip install \` continues on the next line
    above = ""  # the last line of code, masked
    state = START  # a quote or bracket in a magic opens nothing: what is blanked is not scanned
    for line in lines:
        if goes_on or (state.at_statement and _MAGIC.match(line)):
            goes_on = line.rstrip().endswith("\\")
            blanked += 1
            kept.append(_blank(line, above))
            above = ""
            continue
        kept.append(line)
        masked, state = scan(line, state)
        if masked.strip():
            above = masked
    if not blanked:
        return kept, ""
    return kept, f"{blanked} notebook magic{'s' * (blanked > 1)} blanked"


def _blank(line: str, above: str) -> str:
    """An empty line; `pass` in a block that may hold nothing else and needs a statement."""
    if opens_block(above) and line[:1].isspace():
        return line[: len(line) - len(line.lstrip())] + "pass"
    return ""
