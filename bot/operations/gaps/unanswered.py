"""The command `torchmedic gaps`: list groups of unanswered questions, and draft their articles."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from bot.errors import QuestionError
from bot.messages.question import read_message
from bot.operations.gaps.groups import Gap, Reason, UnansweredQuestion, draft, find_gaps
from bot.service.store.database import Database
from bot.service.store.past import Past, asked_since, feedback_since

if TYPE_CHECKING:
    from knowledge.search.index import Embeds

_DAY_S = 86400.0
_REASONS: dict[str, Reason] = {"wrong": "marked wrong", "human": "sent to a human"}
_SHOWN = 3  # questions shown of a gap


async def collect(database: Database, model: Embeds, days: float, least: int = 1) -> list[Gap]:
    """The gaps of the last days with at least so many questions, the largest first."""
    since = time.time() - days * _DAY_S
    said: dict[str, list[str]] = defaultdict(list)
    for question, verdict in await feedback_since(database, since):
        said[question].append(verdict)
    found = []
    async for past in asked_since(database, since):
        if past.state == "done" and (lacking := _unanswered(past, said[past.id])):
            found.append(lacking)
    return [gap for gap in find_gaps(found, model) if len(gap.questions) >= least]


def _unanswered(past: Past, verdicts: Sequence[str]) -> UnansweredQuestion | None:
    """The question as unanswered; None if it was answered, or its asker says that it was."""
    answer = past.answer
    if answer is None or past.solved:
        return None
    reason = next((_REASONS[v] for v in reversed(verdicts) if v in _REASONS), None)
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
    )


def table(gaps: Sequence[Gap], days: float) -> Table:
    """The gaps as a table to print."""
    shown = Table(title=f"What the last {days:g} days left open", show_lines=True)
    shown.add_column("gap", justify="right")
    shown.add_column("questions", justify="right")
    shown.add_column("about")
    shown.add_column("asked as, the most typical first")
    for number, gap in enumerate(gaps, 1):
        ways = [_one_line(q) for q in gap.questions[:_SHOWN]]
        more = len(gap.questions) - len(ways)
        ways += [f"… and {more} more"] if more else []
        shown.add_row(str(number), str(len(gap.questions)), escape(gap.name),
                      escape("\n".join(ways)))  # fmt: skip
    return shown


def as_json(gaps: Sequence[Gap]) -> list[dict[str, Any]]:
    """The gaps as JSON values."""
    return [
        {
            "name": gap.name,
            "slug": gap.slug,
            "questions": [
                {
                    "text": q.text,
                    "reason": q.reason,
                    "asked_at": datetime.fromtimestamp(q.asked_at, UTC).isoformat("T", "seconds"),
                    "error": ": ".join(q.error) if q.error else None,
                }
                for q in gap.questions
            ],
        }
        for gap in gaps
    ]


def write(gaps: Sequence[Gap], number: int, folder: Path, slug: str) -> Path:
    """Draft the article for a gap, by its number in the table; return the article's folder.

    Raises:
        QuestionError: there is no such gap.
        ArticleError: the article is already there, or cannot be written.
    """
    if not 1 <= number <= len(gaps):
        here = f"the gaps are numbered 1 to {len(gaps)}" if gaps else "nothing is open"
        raise QuestionError(f"there is no gap {number}: {here}")
    return draft(gaps[number - 1], folder, slug)


def _one_line(question: UnansweredQuestion) -> str:
    line = next((x.strip() for x in question.text.splitlines() if x.strip()), "")
    if not line and question.error:
        line = ": ".join(question.error)
    cut = line if len(line) <= 100 else f"{line[:99]}…"
    return cut if question.reason == "unanswered" else f"{cut} ({question.reason})"
