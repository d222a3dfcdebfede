"""Show gaps: as a table for a person, as JSON for a program."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.markup import escape
from rich.table import Table

from bot.operations.gaps.groups import Gap, UnansweredQuestion

_SHOWN = 3  # questions of a gap


def table(gaps: Sequence[Gap], days: float) -> Table:
    """The gaps as a person reads them."""
    shown = Table(title=f"What the last {days:g} days left open", show_lines=True)
    shown.add_column("gap", justify="right")
    shown.add_column("questions", justify="right")
    shown.add_column("about")
    shown.add_column("asked as, the most typical first")
    for number, gap in enumerate(gaps, 1):
        ways = [_one_line(q) for q in gap.questions[:_SHOWN]]
        more = len(gap.questions) - len(ways)
        ways += [f"… and {more} more"] if more else []
        shown.add_row(
            str(number), str(len(gap.questions)), escape(gap.name), escape("\n".join(ways))
        )
    return shown


def as_json(gaps: Sequence[Gap]) -> list[dict[str, Any]]:
    """The gaps for a program."""
    return [
        {
            "name": gap.name,
            "slug": gap.slug,
            "questions": [
                {
                    "text": q.text,
                    "reason": q.reason,
                    "said": q.said,
                    "asked_at": datetime.fromtimestamp(q.asked_at, UTC).isoformat("T", "seconds"),
                    "error": ": ".join(q.error) if q.error else None,
                }
                for q in gap.questions
            ],
        }
        for gap in gaps
    ]


def _one_line(question: UnansweredQuestion) -> str:
    line = next((x.strip() for x in question.text.splitlines() if x.strip()), "")
    if not line and question.error:
        line = ": ".join(question.error)
    cut = line if len(line) <= 100 else f"{line[:99]}…"
    if question.reason == "unanswered":
        return cut
    said = f": {question.said}" if question.said else ""
    return f"{cut} ({question.reason}{said})"
