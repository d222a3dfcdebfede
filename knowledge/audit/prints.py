"""Tell which print of a block wrote which part of its output."""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.audit.bindings import Statement, at_line, statements

# First and last of the values that a print writes, and how many all prints write together.
Place = tuple[int, int, int]

_PRINT = re.compile(r"\s*print\(")
# What makes the number of lines another's business: `sep`, `end`, a list that is spread out.
_UNCLEAR = re.compile(r"\b(?:sep|end|file)\s*=|(?:^|[(,])\s*\*|join\(|\"\"\"|'''")


def place_of(code: str, line: int) -> Place | None:
    """Where in a run's output the print on a line stands.

    None, if that print may not be carried out just once, or if how much another one writes cannot
    be told. Prints behind a condition or in a loop count as none; a run of which they were a part
    has another number of values than these places know of.
    """
    return _places(code).get(line)


@lru_cache(maxsize=32)
def _places(code: str) -> dict[int, Place]:
    """The places of all prints by the lines that they stand on."""
    lines = code.split("\n")
    found: dict[int, tuple[int, int]] = {}
    count = 0
    for statement in statements(code):
        text = "\n".join(lines[statement.first - 1 : statement.last])
        if not _PRINT.match(text):
            if not statement.in_function and re.search(r":\s*print\(", text):
                return {}  # behind an `if` on its own line
            continue
        if not _is_certain(statement, lines):
            continue
        pieces = _pieces(_PRINT.sub("", text, count=1))
        if pieces is None:
            return {}
        if pieces:
            on = range(statement.first, statement.last + 1)
            found |= dict.fromkeys(on, (count, count + pieces))
        count += pieces
    return {line: (*place, count) for line, place in found.items()}


def is_carried_out(code: str, line: int) -> bool:
    """Whether a line is surely reached: in no function, and behind no condition.

    A handler that prints the error counts: nothing printed is then what there is to tell.
    """
    statement = at_line(code, line)
    return statement is not None and not any(
        word in ("def", "class", "if", "elif", "else", "while") for _, word in statement.under
    )


def needs_gpu(code: str, line: int) -> bool:
    """Whether a line is only carried out where there is a GPU."""
    lines = code.split("\n")
    statement = at_line(code, line)
    heads = [lines[at - 1] for at, word in statement.under if word == "if"] if statement else []
    return any(re.search(r"\bif (?!not\b).*cuda\.is_available\(\)", head) for head in heads)


def _is_certain(statement: Statement, lines: list[str]) -> bool:
    """Whether it is carried out once, if the block comes to its end."""
    return not statement.in_function and all(
        word in ("try", "with") or (word == "if" and "__name__" in lines[line - 1])
        for line, word in statement.under
    )


def _pieces(arguments: str) -> int | None:
    """How many lines it writes that are not blank; a tensor counts as one."""
    if _UNCLEAR.search(arguments):
        return None
    told = "\n".join(re.sub(r"#[^\"']*$", "", line) for line in arguments.split("\n"))
    parts = [re.sub(r"\b[rRfFbB]+(?=[\"'])|[\s\"'(),]", "", part) for part in told.split("\\n")]
    return sum(bool(part) for part in parts)
