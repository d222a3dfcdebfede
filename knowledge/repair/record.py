"""How often each operator was right, read by people, and what it may say because of that.

`record.json` counts, for each operator, the offers on development documents that a reader who had
not written it called right and wrong. An operator may call its edit verified after enough right
ones and hardly a wrong one; it may show it as an alternative while most were right; else it is not
asked. One that nobody has read yet shows alternatives.
"""

import json
from functools import cache
from pathlib import Path
from typing import Literal

Grade = Literal["verified", "alternative", "nothing"]

_FILE = Path(__file__).with_name("record.json")
_ENOUGH = 3  # right offers
_RIGHT = 0.95  # share of right ones, to be called verified
_MOSTLY = 0.6  # to be shown at all


def grade(right: int, wrong: int) -> Grade:
    """What an operator with this record may say."""
    read = right + wrong
    if right >= _ENOUGH and right / read >= _RIGHT:
        return "verified"
    return "alternative" if read == 0 or right / read >= _MOSTLY else "nothing"


def grade_of(operator: str) -> Grade:
    """What an operator may say, by its name."""
    counts = _record().get(operator, {})
    return grade(counts.get("right", 0), counts.get("wrong", 0))


@cache
def _record() -> dict[str, dict[str, int]]:
    read: dict[str, dict[str, int]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return read
