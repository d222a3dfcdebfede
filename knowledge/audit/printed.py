"""Find what is said to be printed in what a run did print."""

from __future__ import annotations

import re
from itertools import pairwise

_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?|-?inf|nan", re.I)
_NO_WORDS = re.compile(r"tensor|array|torch|Size|inf|nan|dtype|int\d+|float\d+|True|False")


def has_printed(said: str, stdout: str) -> bool:
    """Whether a text was printed; blanks and the last decimals are a matter of taste."""
    flat = _flat(said)
    if not flat:
        return False
    if re.fullmatch(r"-?[\d.]+|true|false|none", flat):
        return any(_ends_in(flat, line) for line in stdout.splitlines())
    # Blanks are gone from both, so a label may have a word before it.
    before = "" if flat[0].isalpha() and len(flat) > 5 else r"(?<![\w.])"
    whole = re.compile(rf"{before}{re.escape(flat)}(?![\w.])")
    if any(whole.search(_flat(line)) for line in stdout.splitlines()):
        return True
    wanted, ends = _numbers(said)
    if len(wanted) < 2 or re.search(r"[A-Za-z]{3,}", _NO_WORDS.sub("", said)):
        return False
    there, ended = _numbers(stdout)
    upto = len(wanted) - 1
    return any(
        ends[:upto] == ended[at : at + upto] and all(map(_equal, wanted, there[at : at + upto + 1]))
        for at in range(len(there) - upto)
    )


def _numbers(text: str) -> tuple[list[float], list[bool]]:
    """The numbers of a text, and of each whether a row of them ends with it."""
    found = list(_NUMBER.finditer(text))
    gaps = (text[a.end() : b.start()] for a, b in pairwise(found))
    return [float(m[0]) for m in found], ["]" in gap or ")" in gap for gap in gaps]


def _ends_in(flat: str, line: str) -> bool:
    """Whether a line is that one value, or a label and that value."""
    line = re.sub(r"tensor\(\[{1,4}(-?[\d.e+-]{1,30})\]{1,4}", r"(\1", line)  # of one number
    value = re.search(r"(?:^|[\s:=(])(-?[\d.]+(?:e[+-]?\d+)?|true|false|none)[\s).]*$", line, re.I)
    last = _flat(value[1]) if value is not None else ""
    try:
        return _equal(float(flat), float(last))
    except ValueError:
        return flat == last


def _equal(said: float, real: float) -> bool:
    return said == real or abs(said - real) <= 2e-4 + 1e-3 * abs(real)


def _flat(text: str) -> str:
    """Letters and marks only: blanks, quotes and the decimals of `1.0` are a matter of taste."""
    return re.sub(r"(?<=\d)\.0*(?![\d])", "", re.sub(r"[\s'\"`]+", "", text)).casefold()


def short(text: str) -> str:
    """A text on one line, quoted, not too long."""
    flat = " ".join(text.split())
    return f"`{flat if len(flat) <= 120 else flat[:119] + '…'}`"
