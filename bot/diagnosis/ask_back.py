"""Choose the one question whose answer would help most, where nothing is known."""

from __future__ import annotations

import re

from bot.models import Question
from knowledge.search.search import in_another_script

_LINES = "Which lines lead to it, and what does the whole traceback say?"
_TRACEBACK = "What does the whole traceback say?"
_VALUES = (
    "What makes the values of that line, and what are they (type, shape, dtype), printed right "
    "before it?"
)
_IN_ENGLISH = (
    "I can read the code and the errors of any post, and prose in English alone: ask it in "
    "English, or post the code and the last line of the error."
)
_OF_A_LOSS = (
    "What does the loss do over the first steps, and how are the loss, its target and the "
    "optimizer made?"
)
_OF_SHAPES = "What goes in (shapes and dtypes), and what should come out of it?"
_ANY = "What do you see when it runs, and what should it do instead?"

# Words of a question → what to ask back. Asked from top to bottom.
_ASKED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), asked)
    for pattern, asked in (
        (r"\berrors?\b|exception|traceback|\bfails?\b|crash", _LINES),
        (
            r"\bOOM\b|(?<!<)\bmemory\b",  # `#include <memory>` tells of none
            "At which line does the memory grow, and does it grow with each step?",
        ),
        (
            r"\b(?:hangs?|hanging|hung|stuck|deadlock\w*|never (?:ends|finishes|returns))\b",
            "Which line is it at when it stands still (`py-spy dump --pid …` shows it), and how "
            "many processes, workers and GPUs take part?",
        ),
        (
            r"\b(?:loss|accuracy|converg\w*|over-?fit\w*|under-?fit\w*)\b"
            r"|(?:\bnot|n't|\bnever|\bstops?) (?:learn|train)",
            _OF_A_LOSS,
        ),
        (
            r"\b(?:slow(?:er|ly)?|speed|faster|bottleneck)\b",
            "How long does one step take, on which device, and what does the loop around it look "
            "like?",
        ),
        (
            r"\b(?:shapes?|sizes?|dim(?:ension)?s?|tensors?|dtypes?|inputs?|outputs?)\b",
            _OF_SHAPES,
        ),
        (r"\?", "Which lines of your code is it about, and what do you expect them to do?"),
    )
)


# What a post shows that gives a shape or a loss.
_SHAPE = re.compile(
    r"[\[(](?=[^\])\n]{0,40}\d) ?\w{1,20}(?:, ?\w{1,20}){1,6},? ?[\])]|\b\d{1,6} ?[x×] ?\d{1,6}\b"
)
_LOSS = re.compile(r"\bloss\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d\.\d")
_LONGEST = 6_000  # characters of a post that are looked at: each of these is gone through once


def _given(text: str) -> set[str]:
    """What a post has shown by itself: two shapes, or three numbers behind a loss."""
    told = text[:_LONGEST]
    found = {_OF_SHAPES} if len(_SHAPE.findall(told)) > 1 else set()
    loss = _LOSS.search(told)
    if loss is not None and len(_NUMBER.findall(told, loss.end())) > 2:
        found.add(_OF_A_LOSS)
    return found


def ask_back(question: Question) -> str:
    """A question about what they ask, from the words of theirs, and for nothing that they gave."""
    if (pasted := question.traceback) is not None:
        if any(frame.line and frame.code for frame in pasted.frames):
            return _VALUES
        return _TRACEBACK if question.code.strip() else _LINES
    if in_another_script(question.text):
        return _IN_ENGLISH
    given = _given(question.text)
    fitting = (asked for words, asked in _ASKED if words.search(question.text))
    return next((asked for asked in fitting if asked not in given), _ANY)
