"""Read from the code whether an error is shown on purpose: a comment, or a handler that tells.

A demonstration says so before it fails ("this will raise a RuntimeError"). A comment that points at
the line ("error here", "why?") is a person who marks where the code fails: that is none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from executor.inside.probes.labelled import Labels, bound, needs, read
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
    r"|\berror (?:during|in|on) (?:the )?backward\b"
    r"|\b(?:causes?|leads? to|results? in|gives?|produces?|triggers?|raises?)\s+(?:\w+\s+){0,2}?"
    r"(?:an?\s+)?(?:\w*Error\b|\w*Exception\b|error\b)",
    re.IGNORECASE,
)
# The error's name alone: said beforehand, or written down by whoever got it.
_NAMES_IT = re.compile(r"^\W*(?:\w*Error|\w*Exception|error)\b\s*(?:[:!(]|[-–]\s|$)", re.IGNORECASE)
# Below the line, as what came of it: "# RuntimeError: …", "# Raises ValueError".
_CAME = re.compile(
    r"^\W*(?:(?:output|result|raises|throws|gives|fails with)\b\W*)?(?:\w+Error|\w+Exception)\b"
    r"(?!\s+(?:is|are|if|when|for)\b)",
    re.IGNORECASE,
)
# "Here we demonstrate a flawed approach that results in an error."
_DEMONSTRATES = re.compile(
    r"\b(?:demonstrat|illustrat)\w+\b.{0,60}\b(?:errors?|fails?|failure|exceptions?|flawed)\b"
    r"|\b(?:error|exception)s?\s+(?:will|would|should|must)\s+(?:occur|happen|follow|be raised)\b"
    r"|^\W*(?:\w*Error|\w*Exception)\s+(?:is\s+)?expected\b|^\W*expected (?:error|failure)\b"
    r"|\b(?:introduc|forc|provok)(?:e|es|ing)\s+(?:an?|the)\s+(?:\w+\s+)?"
    r"(?:error|failure|exception)\b"
    r"|\b(?:autograd|(?:py)?torch)\s+(?:will\s+)?(?:complains?|refuses?)\b",
    re.IGNORECASE,
)
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
    r"\b(?:here|why|i|my|me|help|get|got|getting|happens?|occurs?|occurred)\b|\?|<-|\^|→|←"
    # … and what they have found out of when it does.
    r"|\b(?:as soon as|whenever|sometimes|always|only (?:if|when|with|after)|differences? of)\b",
    re.IGNORECASE,
)
_TELLS = frozenset(
    ("print", "pprint", "warn", "warning", "error", "info", "debug", "exception", "log", "write",
     "print_exc", "format_exc", "append", "assertIn")
)  # fmt: skip


_LOOK_UPS = frozenset({"IndexError", "KeyError", "LookupError"})
_OF_AN_INDEX = re.compile(
    r"(?i)^(?:Index|Key|Lookup)Error\b|\bind(?:ex|ices)\b|\bout[ -]of[ -](?:range|bounds)\b"
    r"|\bexceeds\b"
)

# Ways to say that an error is meant, the clearest first.
_HOW = ("comment", "labelled", "printed", "tried", "above", "named")


class Demonstrations:
    """What a snippet says of its own errors: read once, in one pass over its syntax."""

    def __init__(self, lines: Sequence[str], tree: ast.AST) -> None:
        self._lines = lines
        self._spans: dict[int, tuple[int, int]] = {}  # line → its statement's, if it has several
        self._tried: dict[int, tuple[int, ...]] = {}  # handler → the lines that it is about
        self._telling: set[int] = set()  # handlers that only tell
        self._would_tell: set[int] = set()  # lines of a `try`, all of whose handlers only tell
        self._above: set[int] = set()  # those right above one that announces an error
        self._looks_up: set[int] = set()  # those of one whose handler is for a failed look-up
        self._labels = Labels(lines, tree)
        for node in walk(tree):
            if isinstance(node, ast.Try):
                self._read_try(node)
            elif isinstance(node, ast.stmt) and not hasattr(node, "body"):
                last = node.end_lineno or node.lineno
                if last > node.lineno:
                    for line in range(node.lineno, last + 1):
                        self._spans[line] = node.lineno, last
        # Not in a function: a `try` of a program that is used hopes that all goes well.
        body = [node for node in ast.iter_child_nodes(tree) if isinstance(node, ast.stmt)]
        for n, node in enumerate(body):
            if not isinstance(node, ast.Try) or not node.handlers or not _tells_all(node):
                continue
            if _is_short(node) or _goes_on_without(node, body[n + 1 :]):
                for s in node.body:
                    self._would_tell.update(_lines_of(s))
                    if _looks_up(node) and not _only_computes(s, node.body):
                        self._looks_up.update(_lines_of(s))
            announced = any(self._by_comment(s.lineno) == "comment" for s in node.body)
            # The error that it is there for came a line too early.
            if announced and n and bound(body[n - 1]) & _read_in(node.body):
                self._above.update(_lines_of(body[n - 1]))

    def _read_try(self, node: ast.Try) -> None:
        about = (node.lineno, *(s.lineno for s in node.body[:_SHORT]))
        for handler in node.handlers:
            self._tried[handler.lineno] = about
            if _is_short(node) and _only_tells(handler):
                self._telling.add(handler.lineno)

    def how(
        self, lines: Iterable[int | None], handler_line: int | None = None, error: str = ""
    ) -> str:
        """How the snippet says that an error is meant; empty if it does not.

        Args:
            lines: of the snippet, from the call that led to the error to what raised it.
            handler_line: of the handler that took it.
            error: its class and message: what is said of an index is said of no other error.
        """
        of_index = not error or _OF_AN_INDEX.search(error) is not None
        of_try = self._tried.get(handler_line, ()) if handler_line is not None else ()
        at = [line for line in (*lines, *of_try) if line is not None]
        said = {self._by_comment(line) for line in (*at, *self._labels.changed_in_place(at))}
        if handler_line in self._telling:
            said.add("printed")
        tried = self._would_tell if of_index else self._would_tell - self._looks_up
        if handler_line is None and tried & set(at):
            said.add("tried")
        if handler_line is None and self._above & set(at):
            said.add("above")
        if self._labels.call_it_wrong(at, of_index) or self._labels.expect_no_gradient(at):
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
        if any(_announces(text, code) or _DEMONSTRATES.search(text) for text in said):
            return "comment"
        below = self._lines[last].lstrip() if last < len(self._lines) else ""
        came = _comment(below) if below.startswith("#") else ""
        said = [text for text in said if text and not _POINTS.search(text)]
        if any(_SAYS_SO.search(text) for text in said):
            return "comment"
        if came and not _POINTS.search(came) and _CAME.search(came):
            return "named"
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


def _is_short(node: ast.Try) -> bool:
    imports = any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in node.body)
    return len(node.body) <= _SHORT and not imports


def _tells_all(node: ast.Try) -> bool:
    return all(_only_tells(handler) for handler in node.handlers)


def _goes_on_without(node: ast.Try, below: Sequence[ast.stmt]) -> bool:
    """Whether a program goes on below a `try`, and needs nothing that it would have made."""
    if any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in node.body) or not below:
        return False
    made = {name for s in node.body for name in bound(s)}
    return bool(made) and not needs(below, made)


def _looks_up(node: ast.Try) -> bool:
    named = {n.id for h in node.handlers for n in ast.walk(h.type or h) if isinstance(n, ast.Name)}
    return bool(named & _LOOK_UPS)


def _only_computes(statement: ast.stmt, body: list[ast.stmt]) -> bool:
    """Whether all that a `try` does is this statement, and to print."""
    others = (s for s in body if s is not statement)
    return all(isinstance(s, ast.Expr) and _name_of(s.value) in _TELLS for s in others)


def _lines_of(s: ast.stmt) -> range:
    return range(s.lineno, (s.end_lineno or s.lineno) + 1)


def _read_in(body: list[ast.stmt]) -> set[str]:
    return {name for s in body for name in read(s)}


def _only_tells(handler: ast.ExceptHandler) -> bool:
    return all(isinstance(s, ast.Expr) and _name_of(s.value) in _TELLS for s in handler.body)


def _name_of(value: ast.expr) -> str:
    """The name of the function that an expression calls."""
    function = value.func if isinstance(value, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _comment(text: str) -> str:
    """The comment of a line; a `#` in a string is mistaken for one only if it reads like one."""
    quoted = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "", text[:_LONGEST])
    return quoted.partition("#")[2].strip()
