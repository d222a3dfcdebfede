"""Read from the code whether an error is shown on purpose: a comment, or a handler that tells.

A demonstration says so before it fails ("this will raise a RuntimeError"). A comment that points at
the line ("error here", "why?") is a person who marks where the code fails: that is none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from executor.inside.probes.labelled import Labels
from executor.inside.walking import walk

_MOST_ABOVE = 3  # lines of comment above the failing statement that are about it
_MOST_BESIDE = 20  # lines of the statement itself
_LONGEST = 400  # characters of a line that are read
_SHORT = 3  # statements of a `try` that exists to show one error

_SAYS_SO = re.compile(
    r"\b(?:will|would|should|must|shall|going to|expected to|supposed to|can|could|does)\s+"
    r"(?:\w+\s+){0,2}?(?:fail|raise|error|crash|throw|break|blow up)"
    r"|\b(?:this|it|that|which|call|and|also)\s+(?:\w+\s+){0,2}?"
    r"(?:fails|raises|errors|throws|crashes|breaks)\b"
    r"|^\W*(?:fails|raises|throws|crashes|errors out)\b"
    r"|\b(?:won't|will not|doesn't|does not|cannot|can't)\s+work\b"
    r"|\b(?:causes?|leads? to|results? in|gives?|produces?|triggers?|raises?)\s+(?:\w+\s+){0,2}?"
    r"(?:an?\s+)?(?:\w*Error\b|\w*Exception\b|error\b)",
    re.IGNORECASE,
)
# The error's name alone: said beforehand, or written down by whoever got it.
_NAMES_IT = re.compile(r"^\W*(?:\w*Error|\w*Exception|error)\b\s*(?:[:!(]|$)", re.IGNORECASE)
# "sizes 4 and 3 don't match -> error": what is so, and what comes of it.
_ARROW = re.compile(r"(?<![<\-=])(?:[-=]{1,2}>|→|⇒)")
_ANNOUNCES = re.compile(
    _ARROW.pattern + r"\s*(?:an?\s+)?"
    r"(?:(?P<sure>\w+(?:Error|Exception)|(?:raises|throws)(?:\s+\w+){0,3}?)|error)\W*$",
    re.IGNORECASE,
)
# Who tells what came tells what they had hoped for, too.
_HOPED = re.compile(r"\b(?:but|now|still|sometimes|works|worked)\b", re.IGNORECASE)
_WORDS_OF_ANNOUNCEMENT = 4  # fewer point at a line: "this line -> error"
_WORD = re.compile(r"[^\W_]*[^\W\d_][\w']*")
# What people write beside the line at which their own code stops.
_POINTS = re.compile(
    r"\b(?:here|why|i|my|me|help|get|got|getting|happens?|occurs?|occurred)\b|\?|<-|\^|→|←",
    re.IGNORECASE,
)
_TELLS = frozenset(
    ("print", "pprint", "warn", "warning", "error", "info", "debug", "exception", "log", "write",
     "print_exc", "format_exc", "append", "assertIn")
)  # fmt: skip


# Ways to say that an error is meant, the clearest first.
_HOW = ("comment", "labelled", "printed", "tried", "named")


class Demonstrations:
    """What a snippet says of its own errors: read once, in one pass over its syntax."""

    def __init__(self, lines: Sequence[str], tree: ast.AST) -> None:
        self._lines = lines
        self._spans: dict[int, tuple[int, int]] = {}  # line → its statement's, if it has several
        self._tried: dict[int, tuple[int, ...]] = {}  # handler → the lines that it is about
        self._telling: set[int] = set()  # handlers that only tell
        self._would_tell: set[int] = set()  # lines of short tries, all of whose handlers only tell
        self._labels = Labels(lines, tree)
        for node in walk(tree):
            if isinstance(node, ast.Try):
                self._read_try(node)
            elif isinstance(node, ast.stmt) and not hasattr(node, "body"):
                last = node.end_lineno or node.lineno
                if last > node.lineno:
                    for line in range(node.lineno, last + 1):
                        self._spans[line] = node.lineno, last
        for node in ast.iter_child_nodes(tree):
            # Not in a function: a `try` of a program that is used hopes that all goes well.
            if isinstance(node, ast.Try) and all(h.lineno in self._telling for h in node.handlers):
                for s in node.body if node.handlers else ():
                    self._would_tell |= set(range(s.lineno, (s.end_lineno or s.lineno) + 1))

    def _read_try(self, node: ast.Try) -> None:
        about = (node.lineno, *(s.lineno for s in node.body[:_SHORT]))
        short = len(node.body) <= _SHORT and not _is_import(node.body)
        for handler in node.handlers:
            self._tried[handler.lineno] = about
            if short and _only_tells(handler):
                self._telling.add(handler.lineno)

    def how(self, lines: Iterable[int | None], handler_line: int | None = None) -> str:
        """How the snippet says that an error is meant; empty if it does not.

        Args:
            lines: of the snippet, from the call that led to the error to what raised it.
            handler_line: of the handler that took it.
        """
        of_try = self._tried.get(handler_line, ()) if handler_line is not None else ()
        at = [line for line in (*lines, *of_try) if line is not None]
        said = {self._by_comment(line) for line in at}
        if handler_line in self._telling:
            said.add("printed")
        if handler_line is None and self._would_tell & set(at):
            said.add("tried")
        if self._labels.call_it_wrong(at) or self._labels.expect_no_gradient(at):
            said.add("labelled")
        return next((how for how in _HOW if how in said), "")

    def _by_comment(self, line: int) -> str:
        """How a comment on a statement, or right above it, says that it fails."""
        if not 0 < line <= len(self._lines):
            return ""
        first, last = self._spans.get(line, (line, line))
        beside = self._lines[first - 1 : min(last, first + _MOST_BESIDE)]
        said = [_comment(text) for text in beside]
        above = first - 2
        while above >= 0 and first - 2 - above < _MOST_ABOVE:
            if self._lines[above].lstrip()[:1] != "#":
                break
            said.append(_comment(self._lines[above]))
            above -= 1
        code = "".join(text.partition("#")[0] for text in beside)
        if any(_announces(text, code) for text in said):
            return "comment"
        said = [text for text in said if text and not _POINTS.search(text)]
        if any(_SAYS_SO.search(text) for text in said):
            return "comment"
        return "named" if any(_NAMES_IT.search(text) for text in said) else ""


def _announces(comment: str, code: str) -> bool:
    """Whether a comment on some code ends in an arrow to an error.

    The mere word after the arrow may be what the code computes: `error = y - t`.
    """
    found = _ANNOUNCES.search(comment)
    if found is None or len(_WORD.findall(comment)) < _WORDS_OF_ANNOUNCEMENT:
        return False
    before = comment[: found.start()]
    if not found["sure"] and (_ARROW.search(before) or "err" in code.lower()):
        return False
    told = _ARROW.sub(" ", comment)
    return not _POINTS.search(told) and not _HOPED.search(told)


def _is_import(body: list[ast.stmt]) -> bool:
    return any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in body)


def _only_tells(handler: ast.ExceptHandler) -> bool:
    return all(
        isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and _name(s.value) in _TELLS
        for s in handler.body
    )


def _name(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _comment(text: str) -> str:
    """The comment of a line; a `#` in a string is mistaken for one only if it reads like one."""
    quoted = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "", text[:_LONGEST])
    return quoted.partition("#")[2].strip()
