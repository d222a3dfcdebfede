"""A part of a card, and a stranger's text in it: made harmless, and cut to fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.words import harmless

_ALERTS = re.compile(r"@(?=everyone|here|channel)|(?<=<)(?=[!@#])")
_FENCE = re.compile("`(?=``)")
_MOST = 20_000  # characters: no platform shows as many in one message
_TITLE = 200
_GAP = "\u200b"  # zero width space: a mention with it looks the same and pings nobody
Keep = Literal["start", "middle", "end"]  # the part that a cut leaves
Kind = Literal["error", "seen", "printed", "assumed", "use", "why", "try", "fix"]


@dataclass(frozen=True)
class CardPart:
    """One part of a card: a title, prose, and code to show in a box, all made harmless."""

    kind: Kind
    title: str
    text: str = ""
    code: str = ""
    language: Literal["", "py", "diff"] = ""
    keep: Keep = "middle"  # of the code
    url: str = ""  # what the title links to


def neutral(text: str, keep: Keep = "start") -> str:
    """Harmless text that also pings nobody and closes no fence.

    Of a very long text only what a card could show is read: the start, the end, or both.
    """
    if len(text) > _MOST:
        text = _cut(text, _MOST, keep)
    calm = _ALERTS.sub(lambda m: m[0] + _GAP, harmless(text))
    return _FENCE.sub(f"`{_GAP}", calm)


def one_line(text: str) -> str:
    """The first line, with a mark if there are more."""
    first, *more = text.strip().splitlines() or [""]
    return first.strip() + (" …" if more else "")


def last_lines(text: str, lines: int, printed: int = 0) -> str:
    """The last lines of a text, where errors are.

    Args:
        text: what was kept.
        lines: the most to show.
        printed: how many there were in all, where some of them were not kept.
    """
    above = (printed or text.count("\n") + 1) - lines
    if above <= 0 or text.count("\n") < lines:
        return text
    told = "1 line" if above == 1 else f"{above:,} lines"
    return "\n".join([f"… {told} above", *text.rsplit("\n", lines)[1:]])


def cut(text: str, limit: int, keep: Keep, measure: Callable[[str], int] = len) -> str:
    """A text of at most `limit`, as `measure` counts; a cut is marked with …

    The parts that stay are the start, the end, or both without the middle, in whole lines where
    there are several.
    """
    if measure(text) <= limit:
        return text
    low, high = 0, len(text)  # characters that stay
    while low < high:
        middle = (low + high + 1) // 2
        if measure(_cut(text, middle, keep)) <= limit:
            low = middle
        else:
            high = middle - 1
    made = _cut(text, low, keep)
    return made if measure(made) <= limit else ""


def _cut(text: str, stay: int, keep: Keep) -> str:
    """`stay` characters of the text and the mark of the cut."""
    head = {"start": stay, "end": 0, "middle": stay - stay // 2}[keep]
    tail = stay - head
    first, last = text[:head], text[len(text) - tail :] if tail else ""
    # Whole lines, unless one long line is nearly all there is.
    if (end := first.rfind("\n")) > head // 2:
        first = first[:end]
    if 0 <= (start := last.find("\n")) < tail // 2:
        last = last[start + 1 :]
    return "\n".join(x for x in (first, "…", last) if x) if "\n" in text else f"{first}…{last}"


def fit(
    parts: Sequence[CardPart],
    total: int,
    *,
    text_limit: int,
    code_limit: int,
    overhead: int = 0,
    measure: Callable[[str], int] = len,
) -> list[CardPart]:
    """Cut the parts so that together they fit: the longest first, none is dropped.

    Args:
        parts: in their order.
        total: what all of them may take, as `measure` counts.
        text_limit: what one prose may take.
        code_limit: what one box of code may take.
        overhead: what a platform adds around each text.
        measure: the length as the platform counts it (after its escapes, say).
    """
    parts = [replace(p, title=cut(p.title, _TITLE, "start", measure)) for p in parts]
    lengths = [min(measure(p.text), text_limit) for p in parts if p.text]
    lengths += [min(measure(p.code), code_limit) for p in parts if p.code]
    room = total - sum(measure(p.title) + overhead for p in parts)
    level = _level(lengths, room)
    return [
        replace(
            p,
            text=cut(p.text, min(text_limit, level), "start", measure),
            code=cut(p.code, min(code_limit, level), p.keep, measure),
        )
        for p in parts
    ]


def _level(lengths: Sequence[int], room: int) -> int:
    """The largest length to which all texts must be cut so that their sum fits into the room."""
    left, rest = room, sorted(lengths)
    for i, length in enumerate(rest):
        share = left // (len(rest) - i)
        if length > share:
            return max(0, share)
        left -= length
    return rest[-1] if rest else 0


def file_name(name: str) -> str:
    """A stranger's file name without folders and markup."""
    plain = re.sub(r"[^\w.+-]+", "_", harmless(name).rsplit("/", 1)[-1])[-80:]
    return plain.strip("._") or "file"
