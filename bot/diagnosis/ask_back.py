"""Choose the one question whose answer would help most, where nothing is known."""

from __future__ import annotations

import re

from bot.models import Question
from knowledge.search.search import in_another_script

_LINES = "Which lines lead to it, and what does the whole traceback say?"
_IN_ENGLISH = (
    "I can read the code and the errors of any post, and prose in English alone: ask it in "
    "English, or post the code and the last line of the error."
)
_ANY = "What do you see when it runs, and what should it do instead?"

# Words of a question → what to ask back. Asked from top to bottom.
_ASKED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), asked)
    for pattern, asked in (
        (r"\berrors?\b|exception|traceback|\bfails?\b|crash", _LINES),
        (
            r"\bOOM\b|\bmemory\b",
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
            "What does the loss do over the first steps, and how are the loss, its target and the "
            "optimizer made?",
        ),
        (
            r"\b(?:slow(?:er|ly)?|speed|faster|bottleneck)\b",
            "How long does one step take, on which device, and what does the loop around it look "
            "like?",
        ),
        (
            r"\b(?:shapes?|sizes?|dim(?:ension)?s?|tensors?|dtypes?|inputs?|outputs?)\b",
            "What goes in (shapes and dtypes), and what should come out of it?",
        ),
        (r"\?", "Which lines of your code is it about, and what do you expect them to do?"),
    )
)


def ask_back(question: Question) -> str:
    """A question about what they ask, from the words of theirs."""
    if question.traceback is not None:
        return _LINES
    if in_another_script(question.text):
        return _IN_ENGLISH
    return next((asked for words, asked in _ASKED if words.search(question.text)), _ANY)
