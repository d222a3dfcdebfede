"""Find the code that a mention is about, in the messages above it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from bot.errors import PlatformError, QuestionError, TokenRefusedError
from bot.models import Question
from bot.service.seam import Above, Person, Said

# Words that point at something that stands elsewhere.
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|its|above|here|same|my|his|her|their|our|why|"
    r"what'?s (?:wrong|up|going on|happening)|fix|wrong|fails?|failing|broken|breaks?|crash(?:es)?|"
    r"look|see|check|debug|explain|doesn'?t|not work(?:ing)?|"
    r"the (?:code|error|snippet|traceback|message|program|script|model|loss|file))\b",
    re.IGNORECASE,
)
# Whoever asks how something is done asks about no code, unless they say about which.
_HOW_TO = re.compile(
    r"\s*(?:how (?:do|can|to|should|would)|what is|what are|which|is there)\b", re.IGNORECASE
)
_POINTS_CLEARLY = re.compile(
    r"\b(?:this|that|these|those|above|here|my|his|her|their|the (?:code|snippet|script))\b",
    re.IGNORECASE,
)
# Who speaks of their own trouble speaks of nobody else's code, unless they point at it.
_OWN = re.compile(r"\b(?:my|mine|i|i'm|i've|me|we|our|ours)\b", re.IGNORECASE)
_OF_OTHERS = re.compile(
    r"\b(?:this|that|these|those|above|here|his|her|their|the (?:code|error|snippet|traceback|"
    r"message|program|script))\b",
    re.IGNORECASE,
)
_WHERE = {
    "replied_to": "the message that was replied to",
    "root": "the thread's first message",
    "above": "a message above",
}


def points_above(words: str) -> bool:
    """Whether a message without code speaks of something that stands above it."""
    if _HOW_TO.match(words):
        return _POINTS_CLEARLY.search(words) is not None
    return not words.strip() or _POINTS.search(words) is not None


def may_be_of_others(words: str) -> bool:
    """Whether a message may speak of what others wrote above, whom it does not reply to."""
    return _OWN.search(words) is None or _OF_OTHERS.search(words) is not None


async def with_context(
    question: Question,
    asker: Person,
    above: Above,
    read: Callable[[Said], Awaitable[Question]],
    *,
    others: bool = True,
) -> Question:
    """The question with the code and the error that it is about, of one person and no other.

    Args:
        question: the asker's own words.
        asker: who asks.
        above: the messages above, oldest first.
        read: understands one of them.
        others: also look at what others wrote above, outside of a thread or a reply.
    """
    understood: list[tuple[Said, Question]] = []
    for said in _in_order(above.messages, asker):
        if said.role == "above" and said.person.id != asker.id and not others:
            continue
        try:
            understood.append((said, await read(said)))
        except TokenRefusedError:
            raise
        except (QuestionError, PlatformError):
            continue
    chosen = next((u for u in understood if u[1].snippets), None)
    if chosen is None and question.traceback is None:
        chosen = next((u for u in understood if u[1].traceback is not None), None)
    if chosen is None and not question.text.strip():
        chosen = next((u for u in understood if u[0].role != "above"), None)
    if chosen is None:
        return _unread(question, above)
    said, found = chosen
    # What else the same person wrote there may hold the error.
    theirs = [q for s, q in understood if s.person.id == said.person.id]
    traceback = next((q.traceback for q in (question, found, *theirs) if q.traceback), None)
    what = "code" if found.snippets else "error" if found.traceback else "question"
    note = f"this is about {_whose(said, asker, what)}, from {_WHERE[said.role]}"
    return question.model_copy(
        update={
            "text": "\n\n".join(t for t in (question.text, found.text) if t.strip()),
            "snippets": found.snippets,
            "traceback": traceback,
            "files": found.files + question.files,
            "versions": found.versions | question.versions,
            "machine": found.machine | question.machine,
            "notes": (note, *found.notes, *question.notes),
        }
    )


def _whose(said: Said, asker: Person, what: str) -> str:
    mine = said.person.id == asker.id
    name = said.person.name or "somebody else"
    if said.forwarded:
        return f"the {what} that {'you' if mine else name} forwarded"
    return f"your {what}" if mine else f"{name}'s {what}"


def _in_order(messages: Sequence[Said], asker: Person) -> list[Said]:
    """Whom it replies to, the thread's first, the asker's own, the others'; the latest first."""

    def rank(said: Said) -> int:
        if said.role != "above":
            return 0 if said.role == "replied_to" else 1
        return 2 if said.person.id == asker.id else 3

    latest_first = [*reversed(messages)]
    return sorted(latest_first, key=rank)


def _unread(question: Question, above: Above) -> Question:
    if not above.unread:
        return question
    return question.model_copy(update={"notes": (*question.notes, above.unread)})
