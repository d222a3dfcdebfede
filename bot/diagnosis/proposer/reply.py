"""Read what a model answered: data of one schema, and nothing else of it is used.

A model's words are a stranger's: whatever does not fit the schema, edits a place that is not there
or is larger than a person's edit is dropped, and the counts say so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from bot.diagnosis.proposer.redaction import Redaction
from executor.protocol import Model

MOST_CANDIDATES = 5
_MOST_EDITS = 8  # of one candidate
_MOST_CHARS = 6_000  # of all that one candidate writes
_MOST_GROWTH = 2_000  # characters by which a program may grow
_MOST_REPLY = 200_000  # characters of a reply that are looked at
_MOST_TEXT = 900  # characters of a how-to answer
_MOST_CODE = 4_000


class Edit(Model):
    """One place of the person's program: lines as they stand there, and what replaces them."""

    search: str = Field(min_length=1, max_length=_MOST_CHARS)
    replace: str = Field(max_length=_MOST_CHARS)


_EDITS = TypeAdapter(tuple[Edit, ...])


class Example(Model):
    """An answer to a how-to question: a few sentences, the code that shows it, and its sources."""

    text: str = Field(min_length=1, max_length=_MOST_TEXT)
    code: str = Field(default="", max_length=_MOST_CODE)
    sources: tuple[int, ...] = ()  # numbers of the passages that were sent along, from 1


@dataclass(frozen=True)
class Candidates:
    """The programs that a reply proposes, without doubles, and how many proposals were dropped."""

    programs: tuple[str, ...] = ()
    dropped: int = 0


def read_candidates(reply: str, code: str, redaction: Redaction) -> Candidates:
    """The programs that a reply's edits make of a program.

    Args:
        reply: what the server answered.
        code: the person's program.
        redaction: what was taken out of the texts that the model saw.
    """
    said = _object_in(reply).get("candidates")
    if not isinstance(said, list):
        return Candidates(dropped=1 if reply.strip() else 0)
    programs: list[str] = []
    for item in said[:MOST_CANDIDATES]:
        program = _edited(item, code, redaction)
        if program is not None and program not in programs:
            programs.append(program)
    return Candidates(tuple(programs), len(said) - len(programs))


def read_example(reply: str, redaction: Redaction, n_passages: int) -> Example | None:
    """An answer to a how-to question; None where the reply is none or leans on no passage."""
    said = _object_in(reply)
    try:
        example = Example.model_validate(
            {key: said[key] for key in ("text", "code", "sources") if key in said}
        )
    except ValidationError:
        return None
    numbers = tuple(dict.fromkeys(n for n in example.sources if 1 <= n <= n_passages))
    if not numbers:
        return None
    text = " ".join(redaction.restore(example.text).split())
    return Example(text=text, code=redaction.restore(example.code), sources=numbers)


def _edited(item: Any, code: str, redaction: Redaction) -> str | None:
    """The program after all edits of one candidate; None if one of them cannot be made."""
    try:
        edits = _EDITS.validate_python(item["edits"] if isinstance(item, dict) else None)
    except (ValidationError, KeyError):
        return None
    if not 0 < len(edits) <= _MOST_EDITS or sum(len(e.replace) for e in edits) > _MOST_CHARS:
        return None
    edited = code
    for edit in edits:
        search, replace = redaction.restore(edit.search), redaction.restore(edit.replace)
        if edited.count(search) != 1:
            return None  # not there, or nobody can say which place is meant
        edited = edited.replace(search, replace)
    if edited == code or len(edited) - len(code) > _MOST_GROWTH:
        return None
    return edited


def _object_in(reply: str) -> dict[str, Any]:
    """The first JSON object of a reply, which models like to wrap in a fence or in words."""
    text = reply[:_MOST_REPLY]
    decoder = json.JSONDecoder()
    for start in _starts(text):
        try:
            said, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(said, dict):
            return said
    return {}


def _starts(text: str) -> list[int]:
    """Where an object may begin: a few places, so that a reply of braces takes no time."""
    starts: list[int] = []
    at = text.find("{")
    while at >= 0 and len(starts) < 5:
        starts.append(at)
        at = text.find("{", at + 1)
    return starts
