"""Find the shapes that a document gives its tensors, and what it says is trained."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, Kind
from knowledge.audit.text import Comment
from knowledge.audit.wording import HEDGED, NO_ERROR, VARIES

_SHAPE_NOTE = re.compile(
    r"^\W*(?:(?:output |resulting |input )?shape\s*(?:is|:|=|will be|of)?\s*)?"
    r"(?:(?:torch\.Size\()?[\[(](\d+(?:, ?\d+)*),?[\])]\)?\s*\.?$|(\d+(?:x\d+)+)\b)",
    re.I,
)
_ASSIGNED = re.compile(r"^(\w+)\s*=(?!=)")
_SHAPE_TOLD = re.compile(
    r"`(\w+)`(?: tensor)? (?:will (?:have|be of)|has|is of|with)(?: a| the)? shape(?: of)? "
    r"`?(?:torch\.Size\()?[\[(](\d+(?:, ?\d+)*),?[\])]"
    r"|\bshape of `?(\w+)`?(?: here)? (?:will be|is|becomes)(?: now)? `?(?:torch\.Size\()?"
    r"[\[(](\d+(?:, ?\d+)*),?[\])]"
    r"|\b`?(\w+)`? (?:is|to be|will be|becomes|has shape|of shape) (?:a |an |of (?:shape|size) )?"
    r"`?(\d+(?:x\d+)+)\b",
    re.I,
)


def shapes_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`x = f(y)  # (2, 3)`."""
    for comment in noted:
        if comment.alone:
            continue
        note = _SHAPE_NOTE.match(comment.text)
        assigned = _ASSIGNED.match(code[comment.line - 1])
        if note and assigned and _bound_once(code, assigned[1]):
            yield Claim(
                kind=Kind.SHAPE, text=comment.text, line=comment.line, end_line=comment.line,
                name=assigned[1], shape=_numbers(note[1] or note[2]),
                pointed=note[1] is not None,  # `28x28` may leave out batch and channels
            )  # fmt: skip


def _bound_once(code: list[str], name: str) -> bool:
    binds = re.compile(rf"(?<![\w.]){name}\s*(?:,[\w\s,]*)?[-+*/@|&]?=(?!=)|\bfor [^:]*\b{name}\b")
    return sum(bool(binds.search(line.split("#")[0])) for line in code) == 1


def shapes_in_prose(told: tuple[str, ...]) -> Iterator[Claim]:
    """`x` has the shape (2, 3)."""
    for sentence in told:
        if HEDGED.search(sentence) or VARIES.search(sentence):
            continue
        for match in _SHAPE_TOLD.finditer(sentence):
            name, numbers = (group for group in match.groups() if group)
            yield Claim(
                kind=Kind.SHAPE, text=sentence, name=name, shape=_numbers(numbers), pointed=False
            )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", text))


_UPDATES = re.compile(r"\b(?:optimi[sz]er|optimi[sz]ation|training|step)\b[^.]{0,40}\b(?:updates?|"
                      r"adjusts?|changes|learns)\b (it|`[\w.]+`)", re.I)  # fmt: skip
_STILL = re.compile(r"`([\w.]+)`[^.]{0,30}\b(?:will not be|is not|is never|never|won['’]t be)"
                    r" (?:updated|trained|optimi[sz]ed|learned)", re.I)  # fmt: skip


def training(told: tuple[str, ...]) -> Iterator[Claim]:
    """The optimizer updates `alpha`; `alpha` is never updated."""
    for sentence in told:
        if HEDGED.search(sentence):
            continue
        named = re.findall(r"`([\w.]+)`", sentence)
        if match := _UPDATES.search(sentence):
            name = match[1].strip("`") if match[1] != "it" else (named[-1] if named else "")
            if name and not NO_ERROR.search(sentence):
                yield Claim(kind=Kind.TRAINS, text=sentence, name=name.rpartition(".")[2])
        elif match := _STILL.search(sentence):
            yield Claim(
                kind=Kind.NEVER_TRAINS, text=sentence, name=match[1].rpartition(".")[2],
                pointed=False,
            )  # fmt: skip
