"""Leave out lines of a program that are no Python: dots for what was cut, a remark without its `#`.

A statement with a slip in it stays, so that its error is told: what is left out begins with no
keyword, and is words alone, or begins with a sentence's worth of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from bot.messages.python_lines import KEYWORDS, Shape, indent_of
from bot.messages.unfenced import Statement, statements

_DOTS = re.compile(r"\s*(?:\.{2}|\.{4,}|…+|\.(?: ?\.)+|-{3,}|~{3,}|_{4,}|={3,}|\*{3,})\s*$")
_MARK = re.compile(r"\s*(?:-+>|=+>|<-+|\^+)[^()=]*$")  # an arrow at what stands above
_WORDS = re.compile(r"\s*[^\W\d_]+(?:(?:[ ,;!?'’/-]|\. )+[^\W_]+){2,}[ .,;!?…]*$")
_NAMES = re.compile(r"\s*\w+(?: *, *\w+)+ *,?\s*$")  # a tuple, or arguments of a call above
# Words side by side that no operator or bracket follows; `=>` is none of Python's.
_SENTENCE = re.compile(
    r"\s*([A-Za-z]+(?: [a-z]+){3,}+)(?:[,.;:!?](?= |$)| (?! *(?!=>)[=(\[.+*/@%-])|$)"
)
_PAIRS = 2  # of words that are side by side and no keywords: one may be a slip
# What begins a statement; `print a b` is one of another Python. English begins with "and".
_BEGINS = KEYWORDS - {"and", "or", "in", "is", "as"} | {"print", "exec"}
_CODE_FOR_EACH = 3  # statements of code beside each line that is left out
_SHOWN = 3  # of them
_CHARS = 40


def leave_out(lines: Sequence[str]) -> tuple[list[str], str]:
    """Put `...` where a line is no Python, so that a block that held nothing else has a body.

    Returns:
        lines: as many as before.
        note: what was left out, "" if nothing was.
    """
    found = list(statements(lines))
    stray = [s for s in found if _is_stray(s, lines)]
    code = sum(s.shape >= Shape.SIMPLE for s in found)
    told = [s for s in stray if not _DOTS.match(lines[s.start])]  # dots only say: left out
    if not stray or code < max(1, _CODE_FOR_EACH * len(told)):
        return list(lines), ""
    left = list(lines)
    for statement in stray:
        below = next((line for line in lines[statement.end :] if line.strip()), "")
        deep = max(indent_of(lines[statement.start]), indent_of(below))  # part of what goes on
        left[statement.start] = " " * deep + "..."
    named = [f"`{lines[s.start].strip()[:_CHARS]}`" for s in stray[:_SHOWN]]
    more = f" and {len(stray) - _SHOWN} more" if len(stray) > _SHOWN else ""
    return left, f"what is no Python was left out of the code: {', '.join(named)}{more}"


def _is_stray(statement: Statement, lines: Sequence[str]) -> bool:
    if statement.end - statement.start != 1:
        return False
    line = lines[statement.start]
    if _DOTS.match(line) or _MARK.match(line):
        return line.strip() != "..."  # which Python takes
    if statement.shape != Shape.PROSE:
        return False
    first = re.match(r"\s*(\w+)", line)
    if first is None or first[1] in _BEGINS or _NAMES.match(line):
        return False
    return bool(_WORDS.match(line)) or _is_sentence(line)


def _is_sentence(line: str) -> bool:
    """Whether it begins with more words side by side than a slip of Python has."""
    found = _SENTENCE.match(line)
    words = found[1].split() if found is not None else []
    pairs = sum(not {one, other} & KEYWORDS for one, other in pairwise(words))
    return pairs >= _PAIRS
