"""`torchmedic gaps`: from what the store keeps to the draft of an article."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bot.commands.cli import app
from bot.models import Answer, AnswerError, Why
from bot.service.store import Store
from tests.bot.service.test_store import incoming

UNSURE = Answer(status="unsure", headline="I found nothing.")
BUCKET = AnswerError(
    type="RuntimeError",
    message="bucket 3 is not ready",
    line=1,
    code="ready(3)",
    caught=False,
    traceback="",
)
WHY = Why(text="Because.", article="a", title="A", url=None, score=1, proof=None)


async def keep(store: Store, text: str, answer: Answer, verdict: str = "") -> None:
    """A question that was answered, and what its asker said then."""
    asked = await store.take(incoming(text, text))
    assert asked is not None
    await store.answered(asked.id, asked.revision, answer)
    await store.done(asked.id, asked.revision)
    if verdict == "solved":
        await store.solved(asked.id, asked.asker, f"press {text}")
    elif verdict:
        await store.say(asked.id, asked.asker, verdict, f"press {text}")


async def fill(state: Path) -> None:
    """Two unsure ones about one thing, an unexplained error, one called wrong; two are fine."""
    async with Store.at("", state) as store:
        await keep(store, "how do I tune the bucket size?", UNSURE)
        await keep(store, "which bucket size do I tune to?", UNSURE)
        await keep(store, "solved by myself", UNSURE, "solved")
        answered = Answer(status="advice", headline="Read this.", why=WHY)
        await keep(store, "explained and fine", answered)
        await keep(store, "explained, but about another thing", answered, "wrong")
        broken = Answer(status="reproduced", headline="It fails.", error=BUCKET)
        await keep(store, "```\nready(3)\n```", broken)


def test_what_is_open_is_grouped_and_drafted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Unsure, without an explanation, or called wrong: open. Solved or explained: not."""
    asyncio.run(fill(tmp_path / "state"))
    monkeypatch.setenv("TORCHMEDIC_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    app(["gaps", "--json"], standalone_mode=False)
    gaps = json.loads(capsys.readouterr().out)

    texts = {q["text"] for gap in gaps for q in gap["questions"]}
    assert len(gaps) == 3 and len(gaps[0]["questions"]) == 2
    assert not any("fine" in text or "solved" in text for text in texts)
    reasons = {q["text"]: q["reason"] for gap in gaps for q in gap["questions"]}
    assert reasons["explained, but about another thing"] == "marked wrong"

    number = next(n for n, gap in enumerate(gaps, 1) if gap["name"].startswith("RuntimeError"))
    app(["gaps", "--write", str(number), "--folder", str(tmp_path)], standalone_mode=False)
    assert "torchmedic article check" in capsys.readouterr().out
    (made,) = tmp_path.glob("*/broken.py")
    assert made.read_text() == "ready(3)  # error: RuntimeError: bucket 3 is not ready\n"
