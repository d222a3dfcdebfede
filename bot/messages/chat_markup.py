"""The text of a chat message as its author typed it, without the chat's own markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")
_ANSI = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")  # a terminal's colours
_QUOTED = re.compile(r"(?:>(?!>) ?)+")


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class ChatMarkup:
    """How a platform's API writes what people typed; its folder says how to undo that."""

    everywhere: Callable[[str], str] = _as_it_is  # undoes what the whole message has, code too
    prose: Callable[[str], str] = _as_it_is  # undoes what code may contain as well


PLAIN = ChatMarkup()


def as_seen(text: str, markup: ChatMarkup) -> str:
    """The message with plain newlines, without terminal colours and the platform's escapes."""
    # Lone surrogates (a message cut in the middle of an emoji) cannot be stored.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _ANSI.sub("", _LINE_ENDS.sub("\n", text))
    return _unquote_fences(markup.everywhere(text))


def _unquote_fences(text: str) -> str:
    """Remove `> ` from quoted lines that hold a fence, so that a quoted question can be read."""
    if not re.search(r"^>(?!>).*(?:```|~~~)", text, re.MULTILINE):
        return text
    out: list[str] = []
    quoted: list[str] = []
    for line in [*text.split("\n"), None]:
        if line is not None and _QUOTED.match(line):
            quoted.append(line)
            continue
        holds_fence = any("```" in q or "~~~" in q for q in quoted)
        out += [_QUOTED.sub("", q, count=1) for q in quoted] if holds_fence else quoted
        quoted = []
        if line is not None:
            out.append(line)
    return "\n".join(out)
