"""Make the indentation of pasted code fit where copying broke it.

A paste often keeps its margin, or loses that of its first line, or brings a part from deeper
inside a program. Python refuses all of these. Columns that Python accepts are never changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.messages.python_lines import LineState, opens_block, walk

_FITTED = "the indentation of the code, which Python refuses as it was posted, was made to fit"
_CUT_BODY = "the code is cut off at a block without a body; `pass` was put there"
_CUT_STATEMENT = "the code is cut off in its last statement, which was left out"
_LONG_ENOUGH = 8  # statements: shorter code that ends open is more likely a typing mistake
_RETURN = re.compile(r"return\b")
_DEF = re.compile(r"(?:async\s+)?def\s+(\w+)\s*\(")
_METHOD = re.compile(r"(?:async\s+)?def\s+\w+\s*\(\s*(?:self|cls)\b")
_OPENING_COLON = re.compile(r":(?=\s*(?:#.*)?$)")
_CLASS = re.compile(r"class\s+\w+\s*[(:]")


class Statement(NamedTuple):
    """Where a statement is: lines [start, end), its column, and how it ends."""

    start: int
    end: int
    column: int
    opens: bool  # a block must follow


def statements_of(lines: Sequence[str]) -> list[Statement]:
    """The statements of some code, in order; comments and blank lines belong to none."""
    found: list[Statement] = []
    start, last = -1, -1
    ending = ""

    def finish() -> None:
        if start >= 0:
            text = lines[start]
            column = len(text) - len(text.lstrip(" \t"))
            found.append(Statement(start, last + 1, column, opens_block(ending)))

    for number, (state, line, masked) in enumerate(walk(lines)):
        if state.at_statement:
            if not masked.strip():
                continue
            finish()
            start, ending = number, ""
        last = number if line.strip() else last
        ending = masked if masked.strip() else ending
    finish()
    return found


def dedent(lines: Sequence[str]) -> tuple[list[str], int]:
    """Move code that was pasted with a margin to the left edge; also return the margin."""
    margin = min((s.column for s in statements_of(lines)), default=0)
    if not margin:
        return list(lines), 0
    return [_without_margin(line, margin) for line in lines], margin


def _without_margin(line: str, margin: int) -> str:
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(margin, blank) :]


class _Level(NamedTuple):
    """A block: the column it has in the paste, and the one it gets."""

    posted: int
    fitted: int


def fit(lines: Sequence[str]) -> tuple[list[str], str]:
    """Give statements whose indentation Python refuses a column that it takes.

    Returns:
        lines: as many as before, each with its own text.
        note: what was done, "" if nothing.
    """
    statements = statements_of(lines)
    if not statements or any("\t" in lines[s.start][: s.column] for s in statements):
        return list(lines), ""
    columns = _fitting_columns(statements, lines)
    if all(s.column == column for s, column in zip(statements, columns, strict=True)):
        return list(lines), ""
    return _moved(lines, statements, columns), _FITTED


def _fitting_columns(statements: Sequence[Statement], lines: Sequence[str]) -> list[int]:
    columns: list[int] = []
    levels = [_Level(statements[0].column, 0)]
    before: Statement | None = None
    body_of_def = 0  # the column of the last function's body, if it was defined outermost
    for statement in statements:
        posted = statement.column
        if before is None:
            column = 0
        elif before.opens and posted > levels[-1].posted:
            levels.append(_Level(posted, levels[-1].fitted + posted - levels[-1].posted))
            column = levels[-1].fitted
            if columns[-1] == 0:
                body_of_def = column if _DEF.match(lines[before.start].lstrip()) else 0
        elif posted > levels[-1].posted:
            levels.append(_Level(posted, levels[-1].fitted))  # it opens no block here
            column = levels[-1].fitted
        else:
            column = _outer_column(levels, posted)
        if column == 0 and body_of_def and _RETURN.match(lines[statement.start].lstrip()):
            column = body_of_def  # Python has no `return` outside a function
        elif column == 0:
            body_of_def = 0 if not statement.opens else body_of_def
        columns.append(column)
        before = statement
    return columns


def _outer_column(levels: list[_Level], posted: int) -> int:
    """The column of a statement that ends blocks; `levels` loses those that it ends."""
    ended = levels[-1]
    while len(levels) > 1 and levels[-1].posted > posted:
        ended = levels.pop()
    outer = levels[-1]
    if outer.posted == posted:
        return outer.fitted
    if outer.posted > posted:  # what was outermost until now was posted too far right
        levels[0] = _Level(posted, 0)
        return 0
    if ended.posted - posted < posted - outer.posted:
        levels.append(ended)
        return ended.fitted
    return outer.fitted


def _moved(
    lines: Sequence[str], statements: Sequence[Statement], columns: Sequence[int]
) -> list[str]:
    moved = list(lines)
    states = [state for state, _, _ in walk(lines)]
    pos = 0
    for statement, column in zip(statements, columns, strict=True):
        right = column - statement.column
        for number in range(pos, statement.end):
            moved[number] = _shifted(lines[number], right, states[number])
        pos = statement.end
    return moved


def _shifted(line: str, right: int, state: LineState) -> str:
    if state.quote or not line.strip():
        return line  # blanks inside a string are text
    text = line.lstrip(" ")
    return " " * max(0, len(line) - len(text) + right) + text


def end_what_is_cut(lines: Sequence[str], never_closed: bool) -> tuple[list[str], str]:
    """Let code that breaks off in the middle end at a statement that Python accepts.

    Args:
        lines: some code.
        never_closed: the message ended before the fence did.
    """
    statements = statements_of(lines)
    if not statements or (not never_closed and len(statements) < _LONG_ENOUGH):
        return list(lines), ""
    last = statements[-1]
    ended = list(lines)
    note = ""
    if _is_open(lines, last):
        if last.end - last.start > _LONG_ENOUGH or last is statements[0]:
            return ended, ""
        for number in range(last.start, len(lines)):
            ended[number] = f"# {lines[number]}" if lines[number].strip() else lines[number]
        note = _CUT_STATEMENT
        last = statements[-2]
    if last.opens:
        ended[last.end - 1] = _OPENING_COLON.sub(": pass", lines[last.end - 1], count=1)
        note = note or _CUT_BODY
    return ended, note


def _is_open(lines: Sequence[str], last: Statement) -> bool:
    """Whether the last statement lacks a bracket or a quote that ends it."""
    *_, (state, _, masked) = walk([*lines[last.start :], ""])
    if not state.at_statement:
        return True
    *_, (_, _, masked) = walk(lines[last.start : last.end])
    return masked.endswith('"') and masked.count('"') % 2 == 1


def open_class(lines: Sequence[str]) -> tuple[int, frozenset[str]]:
    """The class that some code ends in: the column of its body and the names of its methods.

    Returns:
        column: 0 where the code does not end inside a class.
        names: of the methods that it has.
    """
    found = statements_of(lines)
    outermost = [n for n, s in enumerate(found) if s.column == 0]
    if not outermost or not _CLASS.match(lines[found[outermost[-1]].start]):
        return 0, frozenset()
    body = found[outermost[-1] + 1 :]
    if not body:
        return 0, frozenset()
    column = body[0].column
    names = [_DEF.match(lines[s.start].lstrip()) for s in body if s.column == column]
    return column, frozenset(name[1] for name in names if name)


def only_methods(lines: Sequence[str]) -> frozenset[str]:
    """The names of the functions in code that holds nothing but methods; else none."""
    names: set[str] = set()
    for statement in statements_of(lines):
        if statement.column:
            continue
        text = lines[statement.start]
        if not (text.startswith("@") or _METHOD.match(text)):
            return frozenset()
        if found := _DEF.match(text):
            names.add(found[1])
    return frozenset(names)
