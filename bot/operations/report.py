"""The usage report of the last days: questions asked, solved and unanswered."""

from __future__ import annotations

import html
import statistics
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

from bot.errors import StateError
from bot.models import Status
from bot.service.store.database import Database
from bot.service.store.past import Past, asked_since, feedback_since
from bot.settings import Settings
from bot.words import STATUS, harmless

_STATUSES: tuple[Status, ...] = get_args(Status)
_UNANSWERED = frozenset({"unsure", "not_run"})
_LISTED = 50  # unanswered questions on a page
_WORDS = 120  # characters of one
_COLOURS = ("#1b7837", "#7fbf7b", "#4393c3", "#c2a5cf", "#fdb863", "#b2182b")


@dataclass(frozen=True)
class UnhelpedQuestion:
    """A question whose answer helped nobody."""

    at: str
    platform: str
    status: str
    headline: str
    words: str  # its first line


@dataclass
class UsageReport:
    """The counts of some days of questions."""

    since: datetime
    until: datetime
    days: list[str] = field(default_factory=list)
    people: set[str] = field(default_factory=set)
    statuses: Counter[str] = field(default_factory=Counter)
    platforms: Counter[str] = field(default_factory=Counter)
    by_day: dict[str, Counter[str]] = field(default_factory=dict)
    articles: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)  # questions, by their feedback
    solved: int = 0
    open: int = 0
    seconds: list[float] = field(default_factory=list)  # from asked to answered
    unanswered: list[UnhelpedQuestion] = field(default_factory=list)

    @property
    def asked(self) -> int:
        """How many questions were addressed to the bot."""
        return sum(self.platforms.values())

    def add(self, past: Past) -> None:
        """Count one question."""
        if past.state == "silent":
            return  # nobody asked, and there was nothing to say
        day = _day(datetime.fromtimestamp(past.asked_at, UTC))
        status = past.answer.status if past.answer else "open"
        self.people.add(f"{past.platform} {past.asker_id}")
        self.platforms[past.platform] += 1
        self.solved += past.solved
        if past.answer is None:
            self.open += 1
        else:
            self.statuses[status] += 1
            self.by_day.setdefault(day, Counter())[status] += 1
            if past.answer.why is not None:
                self.articles[past.answer.why.title] += 1
        if past.done_at is not None:
            self.seconds.append(past.done_at - past.asked_at)
        if past.answer is not None and status in _UNANSWERED and not past.solved:
            self.unanswered.append(
                UnhelpedQuestion(
                    day, past.platform, status, past.answer.headline, _first(past.text)
                )
            )


async def write(settings: Settings, days: float, page: Path | None) -> str:
    """Make the report: the text, and where a path is given the page.

    Raises:
        StateError: the store cannot be opened, or the page not be written.
    """
    async with Database.at(settings.store.url, settings.state_folder) as database:
        report = await gather(database, days)
    if page is not None:
        _save(page, as_html(report))
    return as_text(report)


def _save(page: Path, text: str) -> None:
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as e:
        raise StateError(f"{page}: cannot be written ({e.strerror}); name another file") from e


async def gather(database: Database, days: float, now: float | None = None) -> UsageReport:
    """Count the stored questions of the last days.

    Args:
        database: open.
        days: how many.
        now: where they end, seconds since 1970; None: now.
    """
    end = now or time.time()
    since = end - days * 86400
    report = UsageReport(datetime.fromtimestamp(since, UTC), datetime.fromtimestamp(end, UTC))
    at = report.since
    while at.date() <= report.until.date():
        report.days.append(_day(at))
        at += timedelta(days=1)
    async for past in asked_since(database, since):
        report.add(past)
    # A button pressed twice counts once.
    pressed = {
        (question, verdict) for question, verdict, _ in await feedback_since(database, since)
    }
    report.verdicts.update(verdict for _, verdict in pressed)
    return report


def as_text(report: UsageReport) -> str:
    """The report for a terminal or a mail."""
    lines = [
        f"Torchmedic, {_day(report.since)} to {_day(report.until)} (UTC)", "",
        f"  {report.asked:5d}  questions of {len(report.people)} people "
        f"({', '.join(f'{name} {n}' for name, n in report.platforms.most_common()) or 'nobody'})",
        f"  {report.solved:5d}  marked as solved by who asked",
        f"  {report.verdicts['wrong']:5d}  said to be wrong, "
        f"{report.verdicts['human']} brought to people",
        f"  {len(report.unanswered):5d}  unanswered, {report.open} still open", "",
    ]  # fmt: skip
    for status in _STATUSES:
        symbol, words = STATUS[status]
        lines.append(f"  {report.statuses[status]:5d}  {symbol} {words}")
    if report.seconds:
        lines += ["", f"  from question to answer: {_spread(report.seconds)}"]
    if report.articles:
        lines += ["", "Explained most often"]
        lines += [f"  {n:5d}  {title}" for title, n in report.articles.most_common(5)]
    if report.unanswered:
        lines += ["", "Unanswered"]
        lines += [
            f"  {u.at}  {u.platform}  {STATUS[u.status][0]} {harmless(u.words)}"  # type: ignore[index]
            for u in report.unanswered[-_LISTED:]
        ]
    return "\n".join(lines)


def as_html(report: UsageReport) -> str:
    """The report as one page that loads nothing; every plot's numbers are below it."""
    e = html.escape
    figures = [
        (report.asked, "questions"),
        (len(report.people), "people"),
        (report.solved, "solved"),
        (report.verdicts["wrong"], "said to be wrong"),
        (len(report.unanswered), "unanswered"),
        (report.open, "still open"),
    ]
    boxes = "".join(f"<li><b>{n}</b> {e(words)}</li>" for n, words in figures)
    unanswered = "".join(
        f"<tr><td>{e(u.at)}<td>{e(u.platform)}<td>{e(' '.join(STATUS[u.status]))}"  # type: ignore[index]
        f"<td>{e(harmless(u.words))}<td>{e(harmless(u.headline))}"
        for u in report.unanswered[-_LISTED:]
    )
    articles = "".join(f"<tr><td>{n}<td>{e(title)}" for title, n in report.articles.most_common(20))
    waits = f"<p>{e(_spread(report.seconds))}</p>" if report.seconds else ""
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Torchmedic, {_day(report.since)} to {_day(report.until)}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
padding: 0 1rem }}
ul.figures {{ display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; padding: 0 }}
ul.figures li {{ border: 1px solid #8888; border-radius: 6px; padding: .5rem 1rem }}
ul.figures b {{ display: block; font-size: 1.8rem }}
table {{ border-collapse: collapse }} td, th {{ padding: .2rem .8rem .2rem 0; text-align: left;
vertical-align: top }} svg {{ max-width: 100%; height: auto }}
svg text {{ font-size: 12px; fill: currentColor }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} }}
</style>
<h1>Torchmedic, {_day(report.since)} to {_day(report.until)}</h1>
<ul class="figures">{boxes}</ul>
<h2>Answers a day</h2>
{_days(report.days, report.by_day)}
<h2>From question to answer</h2>
{_bars(_histogram(report.seconds), "questions by waiting time")}{waits}
<h2>Platforms</h2>
{_bars(report.platforms, "questions by platform")}
<h2>Explained most often</h2>
<table><tr><th>times<th>article{articles}</table>
<h2>Unanswered</h2>
<table><tr><th>day<th>platform<th>status<th>question<th>what was said{unanswered}</table>
</html>
"""


def _days(days: Sequence[str], by_day: Mapping[str, Counter[str]]) -> str:
    """Stacked bars, one a day, and the same as a table."""
    most = max((sum(c.values()) for c in by_day.values()), default=0) or 1
    width, height = 640 / max(len(days), 1), 200
    drawn = []
    for i, day in enumerate(days):
        top = float(height)
        for status, colour in zip(_STATUSES, _COLOURS, strict=True):
            n = by_day.get(day, Counter())[status]
            tall = n / most * (height - 20)
            top -= tall
            if n:
                drawn.append(
                    f'<rect x="{i * width + 4:.1f}" y="{top:.1f}" width="{width - 8:.1f}" '
                    f'height="{tall:.1f}" fill="{colour}"><title>{day}: {n} '
                    f"{html.escape(STATUS[status][1])}</title></rect>"
                )
        drawn.append(f'<text x="{i * width + 4:.1f}" y="{height + 15}">{day[5:]}</text>')
    head = "".join(
        f'<th><span style="color:{colour}">■</span> {html.escape(" ".join(STATUS[status]))}'
        for status, colour in zip(_STATUSES, _COLOURS, strict=True)
    )
    rows = "".join(
        f"<tr><td>{day}" + "".join(f"<td>{by_day.get(day, Counter())[s]}" for s in _STATUSES)
        for day in days
    )
    return (
        f'<svg viewBox="0 0 640 {height + 20}" role="img" aria-label="answers a day by status">'
        f"{''.join(drawn)}</svg><table><tr><th>day{head}{rows}</table>"
    )


def _bars(counts: Mapping[str, int], label: str) -> str:
    """Horizontal bars with their numbers."""
    if not counts:
        return "<p>None.</p>"
    most = max(counts.values()) or 1
    drawn = "".join(
        f'<text x="0" y="{i * 22 + 15}">{html.escape(name)}</text>'
        f'<rect x="120" y="{i * 22 + 3}" width="{n / most * 460:.1f}" height="16" fill="#4393c3"/>'
        f'<text x="{125 + n / most * 460:.1f}" y="{i * 22 + 15}">{n}</text>'
        for i, (name, n) in enumerate(counts.items())
    )
    label = html.escape(label)
    size = len(counts) * 22 + 4
    return f'<svg viewBox="0 0 640 {size}" role="img" aria-label="{label}">{drawn}</svg>'


def _histogram(seconds: Sequence[float]) -> dict[str, int]:
    edges = (1, 2, 5, 10, 30, 60, 300)
    counts = {f"under {edge} s": 0 for edge in edges} | {f"{edges[-1]} s and more": 0}
    for took in seconds:
        edge = next((edge for edge in edges if took < edge), None)
        counts[f"under {edge} s" if edge else f"{edges[-1]} s and more"] += 1
    return counts if seconds else {}


def _spread(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return f"half within {statistics.median(ordered):.1f} s, 95 % within {p95:.1f} s"


def _day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")


def _first(text: str) -> str:
    """The first line with words in it."""
    lines = (line.strip("` \t>*") for line in text.splitlines())
    return next((line for line in lines if any(c.isalpha() for c in line)), "")[:_WORDS]
