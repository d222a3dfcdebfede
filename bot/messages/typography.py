"""Turn typographic characters in code, and HTML's escapes, back into what a keyboard types.

Word processors, web pages and chat clients replace quotes, blanks, dashes and angle brackets.
Only code is changed: text in an ordinary string or a comment stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.messages.python_lines import STRING_REST, walk

_DOUBLE = "“”„‟＂"
_SINGLE = "‘’‚‛＇"
_BLANKS = "\u00a0\u202f\u2007\u2002\u2003\u2009\u200a\u2008\u3000"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"

_IN_CODE = str.maketrans(
    {chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(_BLANKS, " ")
    | dict.fromkeys(_INVISIBLE, "")
    | dict.fromkeys(_DASHES, "-")
    | {"…": "..."}
)
_TOKEN = re.compile(rf"""[#＃]|"{{3}}|'{{3}}|["'{_DOUBLE}{_SINGLE}]""")
_ANY_DOUBLE = re.compile(rf'(?<!\\)["{_DOUBLE}]')
_ANY_SINGLE = re.compile(rf"(?<!\\)['{_SINGLE}](?!\w)")  # before a letter it is an apostrophe
_THREE_DOUBLE = re.compile(rf'["{_DOUBLE}]{{3}}')
_THREE_SINGLE = re.compile(rf"['{_SINGLE}]{{3}}")
_ENTITY = re.compile(r"&(?:amp;)*(lt|gt|amp|quot|#39|#x27);")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "#39": "'", "#x27": "'"}
_PREFIXES = frozenset({"r", "b", "f", "u", "t", "rb", "br", "rf", "fr", "rt", "tr"})


def straighten(lines: Iterable[str]) -> Iterator[str]:
    """Yield each line with typography turned into ASCII where it is code."""
    inside = ""  # the triple quote that is open; "“" and "‘" stand for ones that were curly
    for line in lines:
        if not inside and line.isascii() and '"""' not in line and "'''" not in line:
            yield line
            continue
        straight, inside = _straighten(line, inside)
        yield straight


def _straighten(line: str, inside: str) -> tuple[str, str]:
    done: list[str] = []
    pos = 0
    while True:
        if inside:
            end, closing = _end_of_triple(line, pos, inside)
            done.append(line[pos:end] + closing)
            if not closing:
                return "".join(done), inside
            inside, pos = "", end + 3
        token = _TOKEN.search(line, pos)
        if token is None:
            done.append(line[pos:].translate(_IN_CODE))
            return "".join(done), ""
        done.append(line[pos : token.start()].translate(_IN_CODE))
        pos, mark = token.end(), token.group()
        if mark in "#＃":
            done.append("#" + line[pos:])
            return "".join(done), ""
        if len(mark) == 3:
            inside = mark
            done.append(mark)
        elif mark in "\"'":
            text, pos = _plain_string(line, token.start(), mark)
            done.append(text)
        else:
            text, pos, inside = _curly_string(line, token.start())
            done.append(text)


def _end_of_triple(line: str, pos: int, inside: str) -> tuple[int, str]:
    """Where the open string ends on this line, and its closing quotes ("" if it continues)."""
    if inside in "“‘":
        three = (_THREE_DOUBLE if inside == "“" else _THREE_SINGLE).search(line, pos)
        return (three.start(), '"""' if inside == "“" else "'''") if three else (len(line), "")
    rest = STRING_REST[inside].match(line, pos)
    return (rest.end() - 3, inside) if rest else (len(line), "")


def _plain_string(line: str, start: int, quote: str) -> tuple[str, int]:
    """Read a string opened by a straight quote; a curly one closes it if no straight one does."""
    if rest := STRING_REST[quote].match(line, start + 1):
        return line[start : rest.end()], rest.end()
    curly = (_ANY_DOUBLE if quote == '"' else _ANY_SINGLE).search(line, start + 1)
    if curly is None:
        return line[start:], len(line)
    return line[start : curly.start()] + quote, curly.end()


def _curly_string(line: str, start: int) -> tuple[str, int, str]:
    """Read a string opened by a curly quote: its text, its end, and the quote still open."""
    mark = line[start]
    double = mark in _DOUBLE
    before = re.search(r"\w*$", line[max(0, start - 3) : start])
    prefix = before.group().lower() if before else ""
    if prefix and prefix not in _PREFIXES:
        return mark, start + 1, ""  # don’t: an apostrophe, and no code
    if (_THREE_DOUBLE if double else _THREE_SINGLE).match(line, start):
        return ('"""', start + 3, "“") if double else ("'''", start + 3, "‘")
    quote = '"' if double else "'"
    end = (_ANY_DOUBLE if double else _ANY_SINGLE).search(line, start + 1)
    if end is None:
        return line[start:], len(line), ""
    text = line[start + 1 : end.start()]
    if "f" in prefix or "t" in prefix:
        # The content of braces is code: f“{row[‘loss’]}”.
        text = re.sub(f"[{_SINGLE}]", "'", text) if double else re.sub(f"[{_DOUBLE}]", '"', text)
    return quote + text + quote, end.end(), ""


def unescape(lines: Sequence[str]) -> list[str]:
    """Undo HTML's escapes where the whole code was escaped.

    `a &lt; b` is never meant outside a string, and text that was escaped holds no raw < or >. Both
    must be so; code that works on HTML keeps its `"&lt;"`.
    """
    if not any("&" in line and ";" in line for line in lines):
        return list(lines)
    masked = [mask for _, _, mask in walk(lines)]
    escaped = any(_ENTITY.search(mask) for mask in masked)
    if not escaped or any("<" in line or ">" in line for line in lines):
        return list(lines)
    return [_ENTITY.sub(lambda entity: _CHARACTERS[entity[1]], line) for line in lines]
