"""bot/operations: report and retention: the last week in figures, and who wants to be forgotten."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bot.models import Answer, Status
from bot.operations.report import as_html, as_text, gather, write
from bot.operations.retention import forget_person
from bot.service.seam import Incoming, Person, Place
from bot.service.store import Store
from bot.service.store.past import asked_since, feedback_since
from bot.settings import Settings, StoreSettings

NASTY = "why does <script>alert(1)</script> say nan?\x1b[31m"


async def _asked(
    store: Store, n: int, user: str, status: Status | None, *, text: str = "why?", **more: bool
) -> str:
    place = Place(platform="slack", channel="C", thread=f"{n}", message=f"{n}")
    asked = await store.take(
        Incoming(
            f"e{n}", Person(id=user), place, text, "mention", unasked=more.get("silent", False)
        )
    )
    assert asked is not None
    if status is not None:
        await store.answered(asked.id, 0, Answer(status=status, headline=f"<b>{status}</b>."))
        await store.done(asked.id, 0, "silent" if more.get("silent") else "done")
    return asked.id


async def _week(store: Store) -> None:
    """Two people, seven questions, one of them before the week, one still open."""
    fixed = await _asked(store, 1, "U1", "fixed")
    await store.solved(fixed, Person(id="U1"), "p1")
    await store.say(fixed, Person(id="U2"), "wrong", "p2", "no")
    await store.say(fixed, Person(id="U2"), "wrong", "p3", "no!")
    await _asked(store, 2, "U1", "unsure", text=f"\n```\n{NASTY}\n```")
    await _asked(store, 3, "U2", "not_run", text="no gpu here")
    await _asked(store, 4, "U2", "runs")
    await _asked(store, 5, "U2", None)
    await _asked(store, 6, "U2", "unsure", silent=True)


class _Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [v or "" for k, v in attrs if k in ("src", "href")]


async def test_what_was_asked_solved_and_unanswered(tmp_path: Path):
    """Counted once each; what nobody asked for and nobody heard of is not counted."""
    settings = Settings(state=str(tmp_path))
    async with Store.at("", tmp_path) as store:
        await _week(store)
        report = await gather(store.database, 7)
        later = await gather(store.database, 7, now=time.time() + 30 * 86400)
    text = await write(settings, 7, tmp_path / "week.html")
    page = (tmp_path / "week.html").read_text()
    seen = _Balanced()
    seen.feed(page)

    assert (report.asked, len(report.people), report.solved, report.open) == (5, 2, 1, 1)
    assert report.statuses == {"fixed": 1, "unsure": 1, "not_run": 1, "runs": 1}
    assert report.verdicts == {"solved": 1, "wrong": 1} and len(report.days) == 8
    assert [u.words for u in report.unanswered] == [NASTY, "no gpu here"]
    assert "5  questions of 2 people (slack 5)" in text and "2  unanswered, 1 still open" in text
    assert "\x1b" not in text + page
    assert later.asked == 0 and "nobody" in as_text(later) and "None." in as_html(later)
    # One page: no script, nothing fetched, every plot said in words too.
    assert "script" not in seen.tags and not seen.links and "url(" not in page
    assert "&lt;script&gt;alert(1)" in page and "&lt;b&gt;unsure" in page
    assert seen.tags.count("svg") == 3 and page.count("aria-label") == 3
    assert len(re.findall(r"<rect [^>]*><title>[^<]*: 1 ", page)) == 4


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_person_is_forgotten(kind: str, tmp_path: Path, request: pytest.FixtureRequest):
    """Everything of theirs goes, nothing of anybody else's; of another platform only if said so."""
    url = "" if kind == "sqlite" else request.getfixturevalue("database")
    settings = Settings(state=str(tmp_path), store=StoreSettings(url=url))
    async with Store.at(url, tmp_path) as store:
        await _week(store)
        elsewhere = await forget_person(settings, "U2", "discord")
        said = await forget_person(settings, "U2")
        again = await forget_person(settings, "U2")
        report = await gather(store.database, 7)
        left = {p.asker_id async for p in asked_since(store.database, 0)}
        verdicts = await feedback_since(store.database, 0)

    assert elsewhere.startswith("nothing was kept of U2")
    assert said.startswith("deleted: 4 questions with their answers, 2 pieces of feedback")
    assert again.startswith("nothing was kept") and left == {"U1"} and report.asked == 2
    assert [verdict for _, verdict, _ in verdicts] == ["solved"]
