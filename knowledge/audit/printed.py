"""Find what is said to be printed in what a run did print."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from knowledge.audit.model import Claim

_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?|-?inf|nan", re.I)


_WHERE = re.compile(r",\s*(?:device='[^']*'|grad_fn=<\w+>|requires_grad=True)")
_NO_WORDS = re.compile(r"tensor|array|torch|inf|nan|dtype|int\d+|float\d+|True|False")


def is_printed(claim: Claim, out: str) -> bool:
    """Whether it was printed, as near as is said; of one that is to be absent, that it was not."""
    if claim.rough:
        return _roughly(claim.printed, out)
    if claim.absent:
        return not has_printed(claim.printed, out)
    whole = re.sub(r"^\W*(?:\w+ )?output\s*:\s*", "", claim.text, flags=re.I)
    if has_printed(claim.printed, out):
        return True
    # The comment as a whole may be what is printed, unless its value is on the lines below it.
    parts = re.split(r";\s+", whole)  # two printed lines in one comment
    said = _flat(claim.printed) in _flat(claim.text)
    return said and (all(has_printed(part, out) for part in parts) or has_printed(claim.text, out))


def _roughly(said: str, out: str) -> bool:
    """All numbers in a row, each within a tenth; one told to four places within a hundredth."""
    wanted = [(float(n), _places(n)) for n in _NUMBER.findall(said)]
    there = [float(n) for n in _NUMBER.findall(out)]
    return bool(wanted) and any(
        all(_is_near(*a, b) for a, b in zip(wanted, row, strict=True))
        for row in _rows(there, len(wanted))
    )


def _rows(there: list[float], size: int) -> Iterator[list[float]]:
    return (there[at : at + size] for at in range(len(there) - size + 1))


def _places(number: str) -> int:
    return len(re.sub(r"e.*|\D", "", number).lstrip("0"))


def _is_near(said: float, places: int, real: float) -> bool:
    if math.isnan(said) or math.isinf(said):
        return repr(said) == repr(real)
    return abs(said - real) <= (abs(said) * (0.01 if places > 3 else 0.1) or 0.1)


def has_printed(said: str, stdout: str) -> bool:
    """Whether a text was printed; blanks and the last decimals are a matter of taste."""
    said = _WHERE.sub("", said)
    flat, out = _flat(said), _flat(stdout)
    if not flat:
        return False
    if re.fullmatch(r"cpu|cuda(?::\d+)?", flat):
        return re.search(rf"\b{flat}\b", stdout) is not None
    if re.fullmatch(r"-?[\d.]+|true|false|none", flat):
        return any(_ends_in(flat, line) for line in stdout.splitlines())
    # Blanks are gone from both, so a label may have a word before it.
    before = "" if flat[0].isalpha() and len(flat) > 5 else r"(?<![\w.])"
    whole = re.compile(rf"{before}{re.escape(flat)}(?![\w.])")
    if any(whole.search(_flat(line)) for line in stdout.splitlines()):
        return True
    if len(flat) > 8 and flat[-1] in ")]" and flat in out:
        return True
    if (
        shape := re.fullmatch(r"(?:torch\.size)?\(?[\[(]([\d,]+?),?[\])]\)?", flat)
    ) and "," in said:
        wanted = shape[1]
        return any(s in out for s in (f"[{wanted}]", f"({wanted})", f"({wanted},)"))
    wanted_numbers = _NUMBER.findall(said)
    if len(wanted_numbers) < 2 or re.search(r"[A-Za-z]{3,}", _NO_WORDS.sub("", said)):
        return False
    there = [float(n) for n in _NUMBER.findall(stdout)]
    wanted_values = [float(n) for n in wanted_numbers]
    return any(
        all(_equal(a, b) for a, b in zip(wanted_values, row, strict=True))
        for row in _rows(there, len(wanted_values))
    )


def _ends_in(flat: str, line: str) -> bool:
    """Whether a line is that one value, or a label and that value."""
    line = re.sub(r"tensor\(\[{1,4}(-?[\d.e+-]{1,30})\]{1,4}", r"(\1", line)  # of one number
    value = re.search(r"(?:^|[\s:=(])(-?[\d.]+(?:e[+-]?\d+)?|true|false|none)[\s).]*$", line, re.I)
    if value is None:
        return False
    last = _flat(value[1])
    try:
        return _equal(float(flat), float(last))
    except ValueError:
        return flat == last


def _equal(said: float, real: float) -> bool:
    return said == real or abs(said - real) <= 2e-4 + 1e-3 * abs(real)


def _flat(text: str) -> str:
    """Letters and marks only: blanks, quotes and the decimals of `1.0` are a matter of taste."""
    return re.sub(r"(?<=\d)\.0*(?![\d])", "", re.sub(r"[\s'\"`]+", "", text)).casefold()


def nearest_line(said: str, stdout: str) -> str:
    """The printed line that looks most like it."""
    lines = [line for line in stdout.splitlines() if line.strip()]
    kind = re.match(r"[a-z.]*\W", said)
    alike = [line for line in lines if kind and kind[0] in line]
    return short((alike or lines)[0]) if lines else ""


def short(text: str) -> str:
    flat = " ".join(text.split())
    return f"`{flat if len(flat) <= 120 else flat[:119] + '…'}`"
