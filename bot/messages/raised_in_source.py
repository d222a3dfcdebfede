"""Read an error's message from the `raise` that a traceback shows, where its last line is cut off.

A traceback quotes the source of its last frame. Where the message there is a plain string, it is
what the missing last line would say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.messages.python_lines import STRING_REST

_RAISE = re.compile(r"\braise\s+([\w.]+)\(\s*")
_SOURCE = re.compile(r"\s*(?:-+>\s*)?(?:\d+(?: |$))?")  # an arrow and a line's number
_LONGEST = 2_000  # characters of a message
_MOST_LINES = 8  # of one statement


def message_raised(lines: Sequence[str], type_: str) -> str:
    """Say which message the last `raise` of a type has in quoted source.

    Args:
        lines: the traceback as it was pasted.
        type_: the error's type, as the traceback's first line names it.

    Returns:
        "" if no `raise` of this type is quoted, or if its message is made of values.
    """
    for pos in range(len(lines) - 1, -1, -1):
        found = _RAISE.search(lines[pos])
        if found is None:
            continue
        if found[1].rpartition(".")[2] != type_.rpartition(".")[2]:
            return ""
        more = (_SOURCE.sub("", line, count=1) for line in lines[pos + 1 : pos + _MOST_LINES])
        return _plain_string(" ".join([lines[pos][found.end() :], *more])[:_LONGEST])
    return ""


def _plain_string(text: str) -> str:
    """The strings that stand side by side up to a closing bracket; "" if anything else is there."""
    parts: list[str] = []
    pos = 0
    while True:
        while text[pos : pos + 1].isspace():
            pos += 1
        quote = text[pos : pos + 1]
        if quote == ")" and parts:
            return "".join(parts)
        if quote not in ("'", '"'):
            return ""
        closed = STRING_REST[quote].match(text, pos + 1)
        if closed is None:
            return ""
        parts.append(text[pos + 1 : closed.end() - 1])
        pos = closed.end()
