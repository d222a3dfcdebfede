"""Put a stranger's text into Discord's markup: no pings, no broken fences, within the limits."""

from __future__ import annotations

import re

from bot.words import harmless

ELLIPSIS = "…"
_FAR = 64 * 1024  # characters read: ten times what a card shows; a snippet may print 10 MB
_LONGEST_LINE = 300  # of a block that has to be cut anyway

_PING = re.compile(r"@(?=everyone|here)|(?<=<)@(?=[!&]?\d)")
_MARKUP = re.compile(r"([\\*_~|`<>\[\]#])")
_LIST = re.compile(r"^(\s*)([-+]|\d+\.)(?=\s)", re.MULTILINE)


def units(text: str) -> int:
    """A text's length as Discord counts it, in UTF-16 units: an emoji may count as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def tame(text: str) -> str:
    """Text whose mentions ping nobody, without control characters."""
    return _PING.sub("@\u200b", harmless(text))


def prose(text: str) -> str:
    """Text with its markup escaped: stars, links and headings are shown as typed."""
    escaped = _MARKUP.sub(r"\\\1", tame(text))
    return _LIST.sub(r"\1\\\2", escaped).replace("://", "\\://")


def code(text: str) -> str:
    """One line of code within a sentence."""
    first, *more = tame(text).strip().splitlines() or [""]
    line = first.strip().replace("`", "ˋ")  # a backtick would end the code
    return f"`{cut_end(line, 160)}{' …' if more else ''}`" if line else ""


def words(text: str) -> str:
    """Our own sentence: `names` in backticks become code, all else is escaped."""
    parts = re.split(r"`([^`\n]+)`", text)
    return "".join(code(p) if i % 2 else prose(p) for i, p in enumerate(parts))


def fence(text: str, language: str, limit: int, keep: str = "both") -> str:
    """A block of code of at most `limit` units, fences included; empty if there is nothing to show.

    Args:
        text: the block's content.
        language: for highlighting: py, diff, text.
        limit: units the whole block may take.
        keep: the part that is left of a text that is too long: `both` ends, or the `last` lines.
    """
    room = limit - len(language) - 8
    if not text.strip() or room < 40:
        return ""
    cut = (_last_lines if keep == "last" else _both_ends)(text, room)
    return f"```{language}\n{cut}\n```"


def cut_end(text: str, limit: int) -> str:
    """The first `limit` units of a text; an ellipsis says that there was more."""
    if units(text) <= limit:
        return text
    if limit < 1:
        return ""
    kept = _first_units(text, limit - 2)
    slashes = len(kept) - len(kept.rstrip("\\"))
    kept = kept[:-1] if slashes % 2 else kept  # never half an escape
    opened = re.sub(r"\\.", "", kept).count("`") % 2
    return kept + ELLIPSIS + ("`" if opened else "")  # nor code that never ends


def _first_units(text: str, limit: int) -> str:
    kept = text.encode("utf-16-le", "surrogatepass")[: max(0, limit) * 2]
    return kept.decode("utf-16-le", "ignore")


def _last_units(text: str, limit: int) -> str:
    data = text.encode("utf-16-le", "surrogatepass")
    kept = data[len(data) - max(0, limit) * 2 :]
    if kept and 0xDC <= kept[1] <= 0xDF:  # the second half of a character
        kept = kept[2:]
    return kept.decode("utf-16-le", "ignore")


def _inside(text: str) -> str:
    """Text that cannot close the fence around it."""
    return re.sub(r"`{3,}", lambda m: "\u200b".join(m[0]), tame(text)).rstrip()


def _last_lines(text: str, limit: int) -> str:
    whole = text.rstrip()
    shown = _inside(whole[-_FAR:])
    if len(whole) <= _FAR and units(shown) <= limit:
        return shown.strip("\n")
    lines, total = shown.splitlines(), whole.count("\n") + 1
    kept: list[str] = []
    room = limit - 40  # for the line that says how much is missing
    while lines and units(lines[-1]) + 1 <= room:
        kept.insert(0, lines.pop())
        room -= units(kept[0]) + 1
    if not kept:
        kept = [ELLIPSIS + _last_units(lines[-1], room - 1)]
    above = total - len(kept)
    return "\n".join(([f"{ELLIPSIS} {_lines(above)} above"] if above > 0 else []) + kept)


def _both_ends(text: str, limit: int) -> str:
    whole = text.strip("\n").rstrip()
    if len(whole) <= _FAR and units(shown := _inside(whole)) <= limit:
        return shown
    total = whole.count("\n") + 1
    first = _inside(whole[:_FAR]).splitlines()
    last = _inside(whole[-_FAR:]).splitlines()
    room, each = limit - 40, min(_LONGEST_LINE, max(20, (limit - 40) // 2))
    head: list[str] = []
    tail: list[str] = []
    while len(head) + len(tail) < total:
        # Two lines of the start for one of the end: a diff and a message start with the main thing.
        from_head = len(head) <= 2 * len(tail)
        at, source = (len(head), first) if from_head else (-1 - len(tail), last)
        if not -len(source) <= at < len(source):
            break
        line = cut_end(source[at], each)
        if (room := room - units(line) - 1) < 0:
            break
        head.append(line) if from_head else tail.insert(0, line)
    left = total - len(head) - len(tail)
    missing = [f"{ELLIPSIS} {_lines(left)} left out {ELLIPSIS}"] if left else []
    return "\n".join(head + missing + tail)


def _lines(n: int) -> str:
    return "1 line" if n == 1 else f"{n:,} lines"
