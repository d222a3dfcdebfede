"""Find unfenced code within prose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.messages.python_lines import (
    PROMPT,
    LineState,
    Shape,
    indent_of,
    opens_block,
    reads_as_english,
    scan,
    shape_of,
)
from bot.messages.typography import straighten


class Statement(NamedTuple):
    """One statement, over as many lines as its strings and brackets take."""

    start: int
    end: int
    shape: Shape
    indent: int


def find_code(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Find the lines that are code: [start, end) of each run, in order."""
    # “Curly” strings would read as English; the copies have the same lines.
    straight = list(straighten(lines))
    runs: list[list[Statement]] = [[]]
    for logical in statements(straight):
        if not _continues(runs[-1], logical):
            runs.append([])
        if runs[-1] or logical.shape >= Shape.BARE:
            runs[-1].append(logical)
    trimmed = [_trim(run) for run in runs]
    return [(run[0].start, run[-1].end) for run in trimmed if _is_code(run, straight)]


def looks_like_python(lines: Sequence[str]) -> bool:
    """Whether a fence whose author did not name a language holds Python.

    A list of sizes with remarks (`batch = 8`, `mask = [8, 1] -> one channel`) is none.
    """
    straight = list(straighten(lines))
    shapes = [logical.shape for logical in statements(straight)]
    code, prose = sum(shape >= Shape.SIMPLE for shape in shapes), shapes.count(Shape.PROSE)
    does_something = Shape.SOLID in shapes
    return code > 0 and code >= prose and (does_something or not prose)


def trailing_prose(lines: Sequence[str]) -> int:
    """The first line of an English paragraph at the end of an unclosed fence, or len(lines)."""
    start = len(lines)
    logicals = list(statements(list(straighten(lines))))
    while logicals:
        paragraph = []
        while logicals and logicals[-1].shape == Shape.BLANK:
            logicals.pop()
        while logicals and logicals[-1].shape != Shape.BLANK:
            paragraph.append(logicals.pop())
        all_prose = all(part.shape == Shape.PROSE and part.indent == 0 for part in paragraph)
        if not (paragraph and all_prose and logicals):
            break
        start = paragraph[-1].start
    return start


def statements(lines: Sequence[str]) -> Iterator[Statement]:
    """Cut lines into statements; each line is looked at once or twice."""
    last_triple = {
        quote: max((n for n, line in enumerate(lines) if quote in line), default=-1)
        for quote in ('"""', "'''")
    }
    pos = 0
    gather_from = 0  # an open bracket was already followed to this line, for nothing
    while pos < len(lines):
        line = lines[pos]
        masked, state = scan(line)
        shape = shape_of(line, masked)
        end = pos + 1
        if shape >= Shape.BARE and not state.at_statement and pos >= gather_from:
            closes = not state.quote or last_triple.get(state.quote, len(lines)) > pos
            end, complete = _gather(lines, end, state) if closes else (end, False)
            if not complete:
                gather_from, end = end, pos + 1
                shape = Shape.BARE if _is_repr(lines, end) else shape
        if opens_block(masked) and shape >= Shape.SIMPLE and not _has_body(lines, pos, end):
            shape = Shape.PROSE  # "with respect:" and then no block
        yield Statement(pos, end, shape, indent_of(line))
        pos = end


def _gather(lines: Sequence[str], pos: int, state: LineState) -> tuple[int, bool]:
    """Read an open statement's lines; return where it ends, and whether it is complete."""
    while pos < len(lines) and not state.at_statement:
        masked, after = scan(lines[pos], state)
        if not state.quote and not PROMPT.match(lines[pos]) and reads_as_english(masked):
            return pos, False
        state = after
        pos += 1
    return pos, state.at_statement


def _is_repr(lines: Sequence[str], pos: int) -> bool:
    """Whether a line starts a printed model: `Net(` followed by `(fc1): Linear(…)`."""
    return pos < len(lines) and lines[pos].lstrip().startswith("(") and "): " in lines[pos]


def _has_body(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether an indented line follows (or no line at all: the paste was cut)."""
    while end < len(lines) and not lines[end].strip():
        end += 1
    prompts = (">>>", "...", "In [", "In[")
    if end == len(lines) or lines[start].lstrip().startswith(prompts):
        return True
    return indent_of(lines[end]) > indent_of(lines[start]) or lines[end].lstrip().startswith("#")


def _continues(run: Sequence[Statement], logical: Statement) -> bool:
    """Whether a statement belongs to the code above it."""
    if not run:
        return True
    last = run[-1]
    if logical.shape == Shape.PROSE:
        # Further right and directly below: a broken line of code rather than a sentence.
        return logical.indent > run[0].indent and last.shape != Shape.BLANK
    outdented = logical.shape != Shape.BLANK and logical.indent < run[0].indent
    return not outdented


def _trim(run: Sequence[Statement]) -> Sequence[Statement]:
    """Remove uncertain statements at both ends, unless they touch the code."""
    proofs = [n for n, logical in enumerate(run) if logical.shape >= Shape.SIMPLE]
    if not proofs:
        return []
    first, last = proofs[0], proofs[-1]
    while first > 0 and run[first - 1].shape == Shape.BARE:
        first -= 1
    while last + 1 < len(run) and run[last + 1].shape in (Shape.BARE, Shape.PROSE):
        last += 1
    return run[first : last + 1]


def _is_code(run: Sequence[Statement], lines: Sequence[str]) -> bool:
    """Whether a run is code: it has one sure sign, or several weak ones."""
    if not run:
        return False
    simple = sum(logical.shape == Shape.SIMPLE for logical in run)
    if any(logical.shape == Shape.SOLID for logical in run) or simple >= 3:
        return True
    before = lines[run[0].start - 1] if run[0].start else ""
    return simple > 0 and run[0].indent >= 4 and not before.strip()
