"""Tell what a program printed from the program, where both were pasted into one fence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.messages.python_lines import PROMPT, Shape
from bot.messages.typography import straighten, unescape
from bot.messages.unfenced import Statement, statements

# A line that Python refuses and that a program, or a shell, printed.
_STARTS = re.compile(
    r"""
      (?:tensor|array)\( | torch\.Size\(\[ | Parameter\ containing | OrderedDict\(\[
    | torch\.return_types\. | <(?:torch|class|function|__main__|bound)\b
    | >>(?!>)\s*\S                                        # people mark output with it
    | (?:\([\w.-]+\)\s)?[\w.@:~/\\\[\] -]{0,80}[$%❯]\s+(?:[A-Z_]+=\S+\s+)*
      (?:python|pip|conda|torchrun|bash|sh|cd|ls|nvidia-smi|\./)       # a shell's prompt
    | (?:\[[\d/,\s]+\]\s*)?(?i:epochs?|iter(?:ation)?|steps?|train|valid|test|loss|acc)\b[^=(]*\d
    | \[\s*\d+,\s*\d+\]\s+\w                              # [1,  2000] loss: 2.173
    | [A-Za-z][\w/ -]{0,60}(?:\([^()=]{0,20}\))?\s?:\s{0,4}(?:[-+.]?\d|tensor\(|torch\.Size|\[)
    | [A-Za-z][\w/ -]{0,60}\s?=\s{0,4}[-+.]?\d[\w.+-]*\s*(?:,|$)
    """,
    re.VERBOSE,
)
_KEYWORD = re.compile(
    r"(?:if|elif|else|for|while|with|def|class|return|import|from|print|assert|raise|try|except"
    r"|lambda|del|global|yield|async|await|not)\b(?! ?:? ?\d)"
)
# Between lines of output, a name and a number are output too, though Python would take them.
_VALUE = re.compile(r"[A-Za-z]\w*\s?[:=]\s?[-+]?[\d.]+(?:e[-+]?\d+)?\s*$")
_LABELLED = re.compile(
    r"[A-Za-z]\w*\s?:\s{0,4}[-+]?\d[\w.+-]*\s*$"
)  # to Python a useless annotation
_PROGRESS = re.compile(r"\s{0,4}(?:[\w ]{0,40}: ?)?\d{1,3}%\|")
_SUBMODULE = re.compile(r"\s+\(\w+\): ")


class Parted(NamedTuple):
    """The program, with a blank line for each that was printed, and what was printed."""

    program: list[str]
    printed: list[str]


def part_printed(lines: Sequence[str]) -> Parted:
    """Blank what was printed; the program keeps the number of every line.

    Output begins with a line that Python refuses and that looks like output: a statement with a
    slip in it stays, so that its error is told. It ends where code goes on.
    """
    if any(PROMPT.match(line) for line in lines):
        return Parted(list(lines), [])  # a session's prompts tell it better
    shown = unescape(list(straighten(lines)))
    found = list(statements(shown))
    program, printed = list(lines), []
    pos = 0
    while pos < len(found):
        if not _is_output(found[pos], shown):
            pos += 1
            continue
        end = _end(found, pos, shown)
        first, last = found[pos].start, found[end - 1].end
        printed += program[first:last]
        program[first:last] = [""] * (last - first)
        pos = end
    return Parted(program, printed)


def _is_output(statement: Statement, lines: Sequence[str]) -> bool:
    line = lines[statement.start]
    if _PROGRESS.match(line):
        return True
    if statement.indent or not line.strip():
        return False
    below = lines[statement.start + 1] if statement.start + 1 < len(lines) else ""
    if line.rstrip().endswith("(") and _SUBMODULE.match(below):
        return True  # a printed model
    refused = statement.shape == Shape.PROSE
    return refused and not _KEYWORD.match(line) and _STARTS.match(line) is not None


def _end(found: Sequence[Statement], start: int, lines: Sequence[str]) -> int:
    """Where output ends: before the next statement that is certainly code."""
    end = start + 1
    refused = end  # after the last line that Python refuses
    while end < len(found):
        statement = found[end]
        is_value = _VALUE.match(lines[statement.start]) is not None
        if statement.shape >= Shape.SIMPLE and not is_value:
            return refused  # a bare line right above code may belong to it
        end += 1
        if (
            statement.shape == Shape.PROSE
            or lines[statement.start].strip() == ")"
            or _LABELLED.match(lines[statement.start])
        ):
            if statement.indent == 0 and _KEYWORD.match(lines[statement.start]):
                return refused
            refused = end
    return end
