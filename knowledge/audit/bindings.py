"""Find where a block binds its names, line by line and without running or parsing it."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_OPENS, _CLOSES = frozenset("([{"), frozenset(")]}")
_AUGMENTED = frozenset({"+=", "-=", "*=", "/=", "//=", "@=", "%=", "**=", "|=", "&=", "^="})


@dataclass(frozen=True)
class Statement:
    """A statement's head: what it binds and where it stands."""

    first: int  # its lines in the code, from 1
    last: int
    binds: frozenset[str]
    in_function: bool  # or in a class
    in_loop: bool
    under: tuple[tuple[int, str], ...] = ()  # the heads around it: line and first word


@lru_cache(maxsize=32)
def statements(code: str) -> tuple[Statement, ...]:
    """Every statement of a block, as far as it can be read at all."""
    found = []
    around: list[tuple[int, int, str]] = []  # (column, line, first word) of the heads above
    for tokens in _logical_lines(code):
        column, first = tokens[0].start[1], tokens[0].start[0]
        while around and around[-1][0] >= column:
            around.pop()
        words = [word for _, _, word in around]
        found.append(
            Statement(
                first,
                tokens[-1].end[0],
                frozenset(_bound([t.string for t in tokens])),
                in_function=bool({"def", "class"} & set(words)),
                in_loop=bool({"for", "while"} & set(words)) or tokens[0].string in ("for", "while"),
                under=tuple((line, word) for _, line, word in around),
            )
        )
        if tokens[-1].string == ":":
            word = tokens[1].string if tokens[0].string == "async" else tokens[0].string
            around.append((column, first, word))
    return tuple(found)


@dataclass(frozen=True)
class Try:
    """A `try` with its first handler."""

    first: int  # its lines in the code, from 1
    handler: int
    last: int
    handles: str  # the handler's own line
    tells: bool  # the handler prints or logs something first
    in_function: bool


@lru_cache(maxsize=32)
def tries(code: str) -> tuple[Try, ...]:
    """Every `try` of a block that has a handler."""
    lines = code.split("\n")
    found = []
    told = [(s, lines[s.first - 1].strip()) for s in statements(code)]
    for n, (head, text) in enumerate(told):
        if not text.startswith("try"):
            continue
        after = [(s, t) for s, t in told[n + 1 :] if s.under == head.under]
        if not after or not after[0][1].startswith("except"):
            continue
        handler, handles = after[0]
        inside = [(s, t) for s, t in told if (handler.first, "except") in s.under]
        last = max((s.last for s, _ in inside), default=handler.last)
        tells = bool(inside) and re.match(r"(?:print|log\w*\.\w+)\(", inside[0][1]) is not None
        found.append(Try(head.first, handler.first, last, handles, tells, head.in_function))
    return tuple(found)


def at_line(code: str, line: int) -> Statement | None:
    """The statement that stands on a line, or goes on there."""
    return next((s for s in statements(code) if s.first <= line <= s.last), None)


def bound_at(code: str, name: str, *, in_function: bool = False) -> list[Statement]:
    """The statements that bind a name; those in functions bind one of their own."""
    return [s for s in statements(code) if name in s.binds and (in_function or not s.in_function)]


def _logical_lines(code: str) -> Iterator[list[tokenize.TokenInfo]]:
    line: list[tokenize.TokenInfo] = []
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                if line:
                    yield line
                line = []
            elif token.type not in skipped:
                line.append(token)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return  # broken code runs nowhere; what stands above the break was read


def _bound(words: list[str]) -> Iterator[str]:
    """The names that one statement binds."""
    if words[0] in ("for", "async") and "in" in words:
        yield from _names(words[words.index("for") + 1 : words.index("in")])
        return
    yield from (after for word, after in pairwise(words) if word == "as")
    depth = start = 0
    for n, word in enumerate(words):
        depth += (word in _OPENS) - (word in _CLOSES)
        if depth == 0 and (word == "=" or word in _AUGMENTED):
            target = words[start:n]
            yield from _names(target[: target.index(":")] if ":" in target else target)
            start = n + 1


def _names(target: list[str]) -> Iterator[str]:
    """`a, (b, c)`: three names; `a.b` and `a[0]` bind none."""
    inside = 0  # of a subscript or a call
    for n, word in enumerate(target):
        before, after = target[n - 1] if n else "", target[n + 1] if n + 1 < len(target) else ""
        if inside or (word in ("[", "(") and (before.isidentifier() or before in _CLOSES)):
            inside += (word in _OPENS) - (word in _CLOSES)
        elif word.isidentifier() and before != "." and after not in (".", "[", "("):
            yield word
