"""Find code and comments that web pages and editors mark by other means than fences.

HTML comments (the questions of an issue template), `<pre>`, single backticks around several lines
or around each line, and quoted code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.messages.fences import MessagePart
from bot.messages.python_lines import Shape, shape_of
from bot.messages.traceback_text import find_tracebacks
from bot.messages.unfenced import looks_like_python

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_FOLDING = re.compile(r"\s*(?:</?details[^<>]{0,80}>|<summary>[^<>]{0,200}</summary>|<br ?/?>)\s*$")
_PRE = re.compile(r"\s*<pre(?:\s[^<>]{0,100})?>\s*(?:<code[^<>]{0,100}>)?(.*)$", re.IGNORECASE)
_TICKED = re.compile(r"\s*(`{1,2})(?!`)([^`]*)$")  # one opens and does not close on its line
_WHOLE_LINE = re.compile(r"\s*`([^`]+)`\s*$")
_QUOTED = re.compile(r"\s{0,3}>(?!>) ?")


def without_comments(lines: Sequence[str]) -> list[str]:
    """The lines without HTML comments, which nobody sees; fences keep theirs."""
    last_end = max((n for n, line in enumerate(lines) if "-->" in line), default=-1)
    kept: list[str] = []
    fence = ""
    hidden = False
    for number, line in enumerate(lines):
        shown = line
        if hidden:
            _, ended, shown = line.partition("-->")
            hidden = not ended
        if fence:
            mark = shown.strip()
            fence = "" if mark.startswith(fence) and not mark.strip(fence[0]) else fence
        elif opened := _FENCE.match(shown):
            fence = opened[1]
        elif not hidden and "<!--" in shown:
            shown, open_from = _outside_comments(shown)
            hidden = open_from >= 0 and number < last_end
            shown = shown[:open_from] if hidden else shown
        kept.append(shown)
    return kept


def _outside_comments(line: str) -> tuple[str, int]:
    """The line without its whole comments, and where one begins that does not end on it, or -1."""
    kept: list[str] = []
    pos = 0
    while (start := line.find("<!--", pos)) >= 0 and (end := line.find("-->", start + 4)) >= 0:
        kept.append(line[pos:start])
        pos = end + 3
    before = "".join(kept)
    return before + line[pos:], len(before) + start - pos if start >= 0 else -1


def find_marked(lines: Sequence[str]) -> list[MessagePart]:
    """Cut prose into the parts that are marked as code and what is between them."""
    lines = [line for line in lines if not _FOLDING.match(line)]
    last_pre = max((n for n, line in enumerate(lines) if "</pre>" in line), default=-1)
    parts = [MessagePart()]
    pos = 0
    while pos < len(lines):
        found = _marked(lines, pos, last_pre)
        if found.code:
            parts.append(MessagePart(lines=found.code, fenced=True, opening="```"))
            parts.append(MessagePart(lines=[found.after] if found.after.strip() else []))
        else:
            parts[-1].lines += lines[pos : found.end]
        pos = found.end
    return [part for part in parts if part.lines]


class _Marked(NamedTuple):
    """Code that is marked, the text behind it on its last line, and the line after that.

    Without code, the lines up to `end` are prose.
    """

    code: list[str]
    after: str
    end: int


def _marked(lines: Sequence[str], pos: int, last_pre: int) -> _Marked:
    line = lines[pos]
    if pos <= last_pre and (opened := _PRE.match(line)):
        return _until("</pre>", lines, pos, opened[1])
    if "`" in line:
        if opened := _TICKED.match(line):
            found = _until("`", lines, pos, opened[2])
            if found.code and not found.after.strip("`.,;: ") and _is_code_or_error(found.code):
                return found._replace(after="")
        elif _WHOLE_LINE.match(line):
            return _ticked_lines(lines, pos)
    elif _QUOTED.match(line):
        return _quoted(lines, pos)
    return _Marked([], "", pos + 1)


def _until(mark: str, lines: Sequence[str], pos: int, first: str) -> _Marked:
    """The lines up to the next that has a closing mark."""
    code: list[str] = []
    for end in range(pos, len(lines)):
        line = first if end == pos else lines[end]
        inside, closed, after = line.partition(mark)
        code.append(inside.removesuffix("</code>"))
        if closed:
            while code and not code[0].strip():
                code.pop(0)
            while code and not code[-1].strip():
                code.pop()
            return _Marked(code, after, end + 1)
    return _Marked([], "", pos + 1)


def _ticked_lines(lines: Sequence[str], pos: int) -> _Marked:
    """Lines each of which stands in backticks, two or more."""
    code: list[str] = []
    end = pos
    while end < len(lines) and (found := _WHOLE_LINE.match(lines[end])):
        code.append(found[1])
        end += 1
    is_code = len(code) > 1 and all(shape_of(line) >= Shape.SIMPLE for line in code)
    return _Marked(code if is_code else [], "", end)


def _quoted(lines: Sequence[str], pos: int) -> _Marked:
    """Quoted lines that hold code or a traceback."""
    code: list[str] = []
    end = pos
    while end < len(lines) and (found := _QUOTED.match(lines[end])):
        code.append(lines[end][found.end() :])
        end += 1
    return _Marked(code if len(code) > 1 and _is_code_or_error(code) else [], "", end)


def _is_code_or_error(lines: Sequence[str]) -> bool:
    return looks_like_python(lines) or bool(find_tracebacks(lines, whole_block=True))
