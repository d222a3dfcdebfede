"""What docs/findings.md says of each kind of finding."""

from __future__ import annotations

import re
from pathlib import Path

_PAGE = Path(__file__).parents[3] / "docs" / "findings.md"
_FLAGS = {"yes": (True, False), "of the program": (True, True), "note": (False, False)}


def documented() -> dict[str, tuple[bool, bool]]:
    """Each kind of its first table, with (`mistake`, `program_wide`)."""
    table = _PAGE.read_text().partition("| kind |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()[2:]]
    return {kind: _FLAGS[row[-2]] for row in rows for kind in re.findall(r"`(\w+)`", row[1])}


FLAGS = documented()
