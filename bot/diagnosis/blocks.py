"""Leave out a block of a post that keeps the others from running.

People show the line that they ask about, or a formula, before the program that it is from. Joined
with that program it is in the way: it uses what only later lines make, or is no Python at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.diagnosis.own_error import asks_about, is_unparsed
from bot.messages.order import Names, names_of
from bot.models import Question, Snippet
from executor.errors import read
from executor.protocol import JobResult

_SHOWN = 50  # characters of a block's first line


def without_block_in_the_way(question: Question, run: JobResult) -> Question | None:
    """The question without the block at which its program ended; None if that was not in the way.

    The others must need nothing that this block makes.

    Args:
        question: several blocks, which ran as one program.
        run: what happened.
    """
    error = run.error
    if len(question.snippets) < 2 or error is None or error.line is None:
        return None
    if asks_about(question, error):
        return None
    reached = run.frames[0].line if run.frames else error.line
    blocks = list(question.snippets)
    at = max((n for n, block in enumerate(blocks) if block.first_line <= reached), default=0)
    block, rest = blocks[at], blocks[:at] + blocks[at + 1 :]
    why = _why(question, run, block, blocks[at + 1 :])
    if not why or _names(rest).needed & _names([block]).bound:
        return None
    if is_unparsed(run) and block.fenced and _size(block) >= sum(map(_size, rest)):
        return None  # it is the program
    first = next(line.strip() for line in block.code.split("\n") if line.strip())
    note = f"the block that begins with `{_shortened(first)}` was left out: {why}"
    return question.model_copy(
        update={"snippets": tuple(_numbered(rest)), "notes": (*question.notes, note)}
    )


def _why(question: Question, run: JobResult, block: Snippet, later: Sequence[Snippet]) -> str:
    error = run.error
    assert error is not None
    if is_unparsed(run):
        return "it is no Python"
    seen = read(error, "name_undefined") if error.type == "NameError" else None
    if seen is None:
        return ""
    name = seen["name"]
    if name in _names([block]).bound or name not in _names(later).bound:
        return ""  # bound too late in its own block is a mistake of the paste
    return f"it uses `{name}`, which only a later block makes"


def _names(blocks: Sequence[Snippet]) -> Names:
    return names_of("\n".join(block.code for block in blocks).split("\n"))


def _size(block: Snippet) -> int:
    return sum(1 for line in block.code.split("\n") if line.strip())


def _numbered(blocks: Sequence[Snippet]) -> list[Snippet]:
    numbered, line = [], 1
    for block in blocks:
        numbered.append(block.model_copy(update={"first_line": line}))
        line += block.code.count("\n") + 1
    return numbered


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
