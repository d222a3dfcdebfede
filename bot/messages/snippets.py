"""Make pasted code runnable without adding, removing or moving a line.

What is not code (prompts, a session's output, magics) becomes a blank line, so that line 12 of an
error message is line 12 of the posted code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.messages.indentation import dedent
from bot.messages.magics import blank_magics
from bot.messages.python_lines import START, LineState, Shape, scan, shape_of, walk
from bot.messages.typography import straighten, unescape


class Cleaned(NamedTuple):
    """Runnable code, and notes on what was changed."""

    code: str
    notes: tuple[str, ...]


Step = Callable[[Sequence[str]], tuple[list[str], str]]


def clean_paste(lines: Sequence[str]) -> Cleaned:
    """Undo what copying code through a chat changes; each step says what."""
    return _clean(lines, _PASTE_STEPS)


def clean_file(lines: Sequence[str]) -> Cleaned:
    """Only blank the magics: no chat changed an attached file, so its characters stay."""
    return _clean(lines, (blank_magics,))


def _clean(lines: Sequence[str], steps: Sequence[Step]) -> Cleaned:
    current, notes = list(lines), []
    for step in steps:
        current, note = step(current)
        if note:
            notes.append(note)
    return Cleaned("\n".join(current), tuple(notes))


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# All levels at once (&amp;amp;lt;), so that a second pass changes nothing.


def _drop_controls(lines: Sequence[str]) -> tuple[list[str], str]:
    """Remove form feeds, NULs and bells: Python refuses most of them and nobody types them."""
    return [_CONTROLS.sub("", line) for line in lines], ""


def _unescape(lines: Sequence[str]) -> tuple[list[str], str]:
    plain = unescape(lines)
    if plain == list(lines):
        return plain, ""
    return plain, "HTML escapes such as &lt; were turned back into characters"


def _undo_typography(lines: Sequence[str]) -> tuple[list[str], str]:
    straight = list(straighten(lines))
    if straight == list(lines):
        return straight, ""
    return (
        straight,
        "curly quotes, special blanks or dashes in the code were turned into plain ones",
    )


_PRIMARY = re.compile(r"\s*(?:>>>(?: |$)|In ?\[[\d ]*\]: ?)")
_CONTINUED = re.compile(r"\s*\.\.\.(?: |$|:(?: |$))")
_OUTPUT = re.compile(r"\s*Out ?\[[\d ]*\]:")


_SESSION = "prompts were taken out and a session's output became blank lines"


def _drop_prompts(lines: Sequence[str]) -> tuple[list[str], str]:
    """Keep what was typed at `>>>` or `In [3]:`; what the session printed becomes blank."""
    if not any(s.at_statement and _PRIMARY.match(line) for s, line, _ in walk(lines)):
        return list(lines), ""
    kept: list[str] = []
    state = START
    in_session = False
    typing = True  # whether a line without a prompt is code
    for line in lines:
        code, prompted = _unprompted(line, in_session)
        if prompted:
            in_session = True
            # `In [3]:` alone heads a cell without prompts.
            typing = not code.strip() and "In" in line[: len(line) - len(code)]
            if _PRIMARY.match(line):
                state = START
        elif not in_session or _is_code(line, kept, state, typing):
            code = line
        else:
            typing, code = False, ""
        kept.append(code)
        _, state = scan(code, state)
    return _drop_shown_output(kept)[0], _SESSION  # above the first prompt


_SHOWN = re.compile(
    r"\s*>>> ?(?=[\[({\"'\d-]|tensor\(|array\(|(?:True|False|None|cpu|cuda(?::\d)?|nan)\s*$)"
)


def _drop_shown_output(lines: Sequence[str]) -> tuple[list[str], str]:
    """Blank output that is marked by `Out[3]:`, or by `>>>`, in code that has no prompts."""
    statements = [line for state, line, _ in walk(lines) if state.at_statement and line.strip()]
    if not statements or any(_PRIMARY.match(s) and not _SHOWN.match(s) for s in statements):
        return list(lines), ""
    marked = [bool(_OUTPUT.match(line) or _SHOWN.match(line)) for line in lines]
    if (
        not any(marked)
        or shape_of(statements[0]) < Shape.BARE
        or marked[lines.index(statements[0])]
    ):
        return list(lines), ""
    kept: list[str] = []
    shown = False  # whether this line is output
    for line, mark in zip(lines, marked, strict=True):
        if mark:
            shown = True
        elif not line.strip() or (not line[0].isspace() and shape_of(line) >= Shape.SIMPLE):
            shown = False
        kept.append("" if shown else line)
    return kept, _SESSION


def _unprompted(line: str, in_session: bool) -> tuple[str, bool]:
    prompted = False
    while match := _PRIMARY.match(line):
        line, prompted, in_session = line[match.end() :], True, True
    if not prompted and in_session and (match := _CONTINUED.match(line)):
        return line[match.end() :], True
    return line, prompted


def _is_code(line: str, kept: Sequence[str], state: LineState, typing: bool) -> bool:
    """Whether a line without a prompt continues the code of the last prompt."""
    if (typing and not _OUTPUT.match(line)) or not state.at_statement:
        return True
    above = kept[-1].rstrip() if kept else ""
    in_block = above.endswith(":") or above[:1].isspace()
    is_body = in_block and line[:1].isspace() and bool(line.strip())
    return is_body or _is_statement(line)


def _is_statement(line: str) -> bool:
    """Whether a line below a session is code: output is never an import or a definition."""
    definite = re.match(r"(?:import|from|def|class|@)\b|[\w.]+ = \S", line)
    return bool(definite) and shape_of(line) == Shape.SOLID


def _untabify(lines: Sequence[str]) -> tuple[list[str], str]:
    """Where Python would raise TabError, replace tabs by 8 columns as Python 2 counted them."""
    starts = [s.at_statement for s, _, _ in walk(lines)]
    indents = [
        line[: len(line) - len(line.lstrip(" \t"))]
        for line, start in zip(lines, starts, strict=True)
        if start and line.strip() and line.lstrip()[0] != "#"
    ]
    if not _mixes_tabs(indents):
        return list(lines), ""
    fixed = [_expand(line) if start else line for line, start in zip(lines, starts, strict=True)]
    return fixed, "tabs and spaces were mixed: each tab in the indentation counts as 8 columns"


def _expand(line: str) -> str:
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)].expandtabs(8) + text


def _mixes_tabs(indents: Sequence[str]) -> bool:
    """Whether the order of two indentations depends on how wide a tab is, as CPython checks it.

    Source: https://docs.python.org/3/reference/lexical_analysis.html#indentation
    """
    stack = [(0, 0)]
    for indent in indents:
        wide, narrow = len(indent.expandtabs(8)), len(indent)
        while stack and wide < stack[-1][0]:
            stack.pop()
        last_wide, last_narrow = stack[-1] if stack else (0, 0)
        if (wide == last_wide) != (narrow == last_narrow) or (wide > last_wide) != (
            narrow > last_narrow
        ):
            return True
        if wide > last_wide:
            stack.append((wide, narrow))
    return False


# `def forward(self, x, ...):`, `class Net(...):`; what follows may stand on the same line.
_LEFT_OUT = re.compile(
    r"(?P<head>\s*(?:(?:async )?def|class) \w+\s*\()"
    r"(?P<first>[^()*.\[\]]{0,300}?)\.\.\.\s*\)(?=.*:)"
)


def _fill_left_out(lines: Sequence[str]) -> tuple[list[str], str]:
    """Let a definition whose last parameters are written as `...` take any."""
    filled, found = list(lines), False
    for n, (line, (state, _, _)) in enumerate(zip(lines, walk(lines), strict=True)):
        match = _LEFT_OUT.match(line) if state.at_statement else None
        if match is None or match["first"].rstrip()[-1:] not in ("", ","):
            continue
        any_more = "" if match["head"].lstrip().startswith("class") else "*args, **kwargs"
        kept = match["first"] if any_more else match["first"].rstrip(" ,")
        filled[n] = f"{match['head']}{kept}{any_more}){line[match.end() :]}"
        found = True
    said = "parameters that were left out (`...`) are taken as any"
    return filled, said if found else ""


def _dedent(lines: Sequence[str]) -> tuple[list[str], str]:
    return dedent(lines)[0], ""


_PASTE_STEPS: tuple[Step, ...] = (
    _drop_controls,
    _unescape,
    _undo_typography,
    _drop_shown_output,
    _drop_prompts,
    blank_magics,
    _unescape,  # again: a prompt or an output held a raw > until now
    _untabify,
    _dedent,
    _fill_left_out,
)
