"""Find what is said to be printed in what a run did print."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?|-?inf|nan", re.I)
_NO_WORDS = re.compile(r"tensor|array|torch|Size|inf|nan|dtype|int\d+|float\d+|True|False")


def has_printed(said: str, stdout: str) -> bool:
    """Whether a text was printed; blanks and the last decimals are a matter of taste."""
    flat = _flat(said)
    if not flat:
        return False
    if re.fullmatch(r"-?[\d.]+|true|false|none", flat):
        return any(_ends_in(flat, line) for line in stdout.splitlines())
    whole = re.compile(rf"(?<![\w.]){re.escape(flat)}(?![\w.])")
    if any(whole.search(_flat(line)) for line in stdout.splitlines()):
        return True
    wanted, there = ([float(m[0]) for m in _NUMBER.finditer(text)] for text in (said, stdout))
    if len(wanted) < 2 or re.search(r"[A-Za-z]{3,}", _NO_WORDS.sub("", said)):
        return False
    return any(all(map(_equal, wanted, there[at:])) for at in range(len(there) - len(wanted) + 1))


def _ends_in(flat: str, line: str) -> bool:
    """Whether a line is that one value, or a label and that value."""
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
