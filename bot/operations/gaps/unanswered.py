"""Collect the questions that went unanswered from what the store keeps."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.errors import QuestionError
from bot.messages.question import read_message
from bot.operations.gaps.groups import Gap, Reason, UnansweredQuestion, find_gaps
from bot.service.store.database import Database
from bot.service.store.past import Past, asked_since, feedback_since

if TYPE_CHECKING:
    from knowledge.search.index import Embeds

_DAY_S = 86400.0
_REASONS: dict[str, Reason] = {"wrong": "marked wrong", "human": "sent to a human"}


async def collect(database: Database, model: Embeds, days: float, least: int = 1) -> list[Gap]:
    """The gaps of the last days with at least so many questions, the largest first."""
    since = time.time() - days * _DAY_S
    said: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for question, verdict, words in await feedback_since(database, since):
        said[question].append((verdict, words))
    found = []
    async for past in asked_since(database, since):
        if past.state == "done" and (lacking := _unanswered(past, said[past.id])):
            found.append(lacking)
    return [gap for gap in find_gaps(found, model) if len(gap.questions) >= least]


def _unanswered(past: Past, verdicts: Sequence[tuple[str, str]]) -> UnansweredQuestion | None:
    """The question as unanswered; None if it was answered, or its asker says that it was."""
    answer = past.answer
    if answer is None or past.solved or answer.reply is not None:
        return None
    reason = next((_REASONS[v] for v, _ in reversed(verdicts) if v in _REASONS), None)
    explained = answer.why is not None or answer.fix is not None or answer.alternatives
    if reason is None and (answer.status == "unsure" or not explained):
        # That it runs, or cannot run here, was the answer.
        reason = "unanswered" if answer.status in ("unsure", "reproduced") else None
    if reason is None:
        return None
    try:
        # Plain: what a platform escapes changes neither a group nor its name much.
        question = read_message(past.text)
        text, code = question.text, question.code
    except QuestionError:
        text, code = past.text, ""
    error = answer.error
    return UnansweredQuestion(
        text=text,
        reason=reason,
        asked_at=past.asked_at,
        code=code,
        error=(error.type, error.message) if error else None,
        line=error.line if error else None,
        said="; ".join(words for verdict, words in verdicts if verdict == "wrong" and words),
    )
