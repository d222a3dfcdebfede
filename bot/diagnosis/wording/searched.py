"""Headlines of what the search found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.models import FunctionShown, Near, Why
from knowledge.documents.verdict import Verdict

_GUESS = re.compile(r"(?:Mostly|Usually|Often|The usual|Most often)\b")


def quoted(passage: str, verdict: Verdict | None) -> str:
    """A document's passage; one that an audit refuted says so before anything else."""
    if verdict is Verdict.REFUTED:
        return f"An audit ran this document's code: what it says is refuted. It says: {passage}"
    return passage


def without_guesses(text: str) -> str:
    """An article's reason without the sentences that call one cause the usual one."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z`])", text)
    kept = [sentence for sentence in sentences if not _GUESS.match(sentence)]
    return " ".join(kept) or text


def rule_of(text: str) -> str:
    """The first sentence of an article's reason, which holds for all code."""
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", text, maxsplit=1)[0]


def resembling(why: Why) -> str:
    """The headline of an article that only resembles a question: it names no error of its."""
    return f"This may help: {why.rule}" if why.rule else f"This may be it: {why.title}"


def nearest(near: Near) -> str:
    """The headline of the article nearest to a question that nothing is known to answer."""
    return f"Not sure that this answers it; the nearest that is known: {near.says}"


def asked(why: Why) -> str:
    """The headline of an article that answers what was asked; of one that may, it says so."""
    if why.resembles:
        return f"{resembling(why).rstrip('.')}."
    return why.rule or f"{why.title.rstrip('.')}."


def function(shown: Sequence[FunctionShown]) -> str:
    """The headline of a how-to question: the function that does it, and what it does."""
    first, *others = shown
    compared = [f"`{other.name}`: {other.summary}" for other in others if other.named]
    if first.named:
        return " ".join([f"About `{first.name}`: {first.summary}", *compared])
    return f"Use `{first.name}`: {first.summary}"
