"""The buttons below cards: what they are called, and their ids."""

from __future__ import annotations

import re
from typing import get_args

from bot.service.seam import Case, Verb

BUTTONS: dict[Verb, str] = {
    "solved": "Solved",
    "wrong": "Not right…",
    "fixed": "Fixed file (.py)",
    "share": "Share with the channel",
    "again": "Run again…",
    "human": "Ask a human",
    "output": "Full output",
    "details": "Details",
    "delete": "Delete",
    "claim": "I take it",
    "resolve": "Resolved",
    "post": "Post it",
    "edit": "Edit…",
    "drop": "Drop it",
}

# What can be wrong with an answer, as the form for "not right" offers it.
WRONG = {
    "cause": "The cause is another one",
    "fix": "The fix does not do what I need",
    "subject": "It is not what I asked",
    "other": "Something else",
}


def button_id(verb: Verb, question: str) -> str:
    """A button's id: `tm:solved:1f2e…`."""
    return f"tm:{verb}:{question}"


def parse_button(text: str) -> tuple[Verb, str] | None:
    """The verb and the question's id; None if it is no button of ours."""
    match = re.fullmatch(r"tm:([a-z]+):([0-9a-f]{1,32})", text)
    for verb in get_args(Verb):
        if match is not None and match[1] == verb:
            return verb, match[2]
    return None


def case_buttons(case: Case) -> tuple[Verb, ...]:
    """What people may do with a case that was brought to them, or with a draft."""
    return ("post", "edit", "drop") if case.is_draft else ("claim", "resolve")


def case_head(case: Case) -> str:
    """What a case is, after the name of who asked."""
    if case.is_draft:
        return "has not called me; this answer is a draft that only you see"
    return "asks for a human"


def said_wrong(kind: str, words: str) -> str:
    """What the form for "not right" was filled in with, as one line."""
    told = [WRONG.get(kind, ""), words.strip()]
    return ": ".join(t for t in told if t)
