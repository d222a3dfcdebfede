"""The programs that a post may mean: all of it, one of its blocks, a line that it quotes.

Only text is handled here; whether one of them is Python is found out in the jail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, Question

_BLANK = re.compile(r"\s+")
_HEAD = re.compile(r"(?:if|elif|while|for|with|try|else|except|finally|def|class|async)\b")
_RETURNED = re.compile(r"(?:return|yield|await)\s+(?=\S)")
# What a library's function can be called by; a line without is the end of a longer statement.
_CALLS = re.compile(r"[(@\[+\-*/%<>]|\bfor\b|^import\b|^from\b|^with\b")
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Program:
    """Code, and what is said of it as an assumption."""

    code: str
    said: str = ""
    alone: bool = False  # beside code of which nothing is run


def programs(question: Question, pasted: PastedTraceback) -> tuple[Program, ...]:
    """What may have raised the posted error, the whole post first.

    Every line stands where it has its number in the question's code.
    """
    found = [Program(question.code)] if question.code.strip() else []
    snippets = question.snippets
    if len(snippets) > 1:
        for snippet in (snippets[-1], snippets[0]):
            code = "\n" * (snippet.first_line - 1) + snippet.code
            said = f"only the block that begins at line {snippet.first_line} was run, by itself"
            found.append(Program(code, said))
    line = quoted_line(pasted)
    if line and _bare(line) not in {_bare(other) for other in question.code.split("\n")}:
        above = f"{question.code}\n" if question.code.strip() else ""
        what = f"`{line}` is the line that the traceback quotes"
        said = f"{what}; it was put below the code" if above else f"{what}; it was run alone"
        found.insert(0 if not above else len(found), Program(f"{above}{line}", said))
        if above:
            lines = "\n" * above.count("\n")  # it keeps the number that it has below the code
            found.append(Program(f"{lines}{line}", f"{what}; it was run alone", alone=True))
    return tuple(found)


def quoted_line(pasted: PastedTraceback) -> str:
    """The line that failed, as a statement of its own; empty if none is quoted whole."""
    own = [frame.code.strip() for frame in user_frames(pasted) if frame.code.strip()]
    if not own:
        return ""
    line = _RETURNED.sub("", own[-1])
    last = max(n for n, frame in enumerate(pasted.frames) if frame.code.strip() == own[-1])
    below = last + 1 < len(pasted.frames)
    if not _is_closed(line) or (below and not _CALLS.search(line)):
        return ""
    if _HEAD.match(line):
        plain = re.match(r"(?:for|with|if|while)\b", line) and line.endswith(":")
        return f"{line} pass" if plain else ""
    return line


def _is_closed(line: str) -> bool:
    """Whether every bracket of a line is closed in it, and nothing goes on below."""
    opened: list[str] = []
    for sign in line:
        if sign in "([{":
            opened.append(sign)
        elif sign in _PAIRS and (not opened or opened.pop() != _PAIRS[sign]):
            return False
    return not opened and not line.endswith(("\\", ",", "="))


def _bare(line: str) -> str:
    return _BLANK.sub("", line.partition("#")[0])
