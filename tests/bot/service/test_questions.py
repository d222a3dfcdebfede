"""bot/service/: from any door, exactly one card."""

from __future__ import annotations

import asyncio
import io
import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest_asyncio
from rich.console import Console

from bot.diagnosis.pipeline import Pipeline
from bot.messages.chat_markup import ChatMarkup
from bot.platforms.console.card import ConsolePlatform
from bot.service.questions import QuestionService
from bot.service.reading import read
from bot.service.seam import CardRef, Door, Incoming, Person, Place, View, Working
from bot.service.store import Store
from bot.service.store.database import Database
from bot.settings import ChatSettings, FrontSettings
from executor.protocol import Job
from executor.service.client import ExecutorClient
from executor.version import version
from tests.executor.another_version import another_version

_numbers = itertools.count()


@pytest_asyncio.fixture
async def store() -> AsyncIterator[Store]:
    """A store in memory."""
    async with Store(Database("sqlite+aiosqlite://")) as store:
        yield store


def message(text: str, *, event: str = "", door: Door = "console") -> Incoming:
    """A message typed at the console."""
    n = next(_numbers)
    place = Place(platform="console", channel="here", thread="1", message=str(n))
    return Incoming(event or f"e{n}", Person(id="me"), place, text, door)


async def test_one_card_for_one_question(medic: Pipeline, store: Store):
    """It is kept, run, answered and drawn; a second delivery of it does nothing."""
    out = io.StringIO()
    platform = ConsolePlatform(Console(file=out, width=100, highlight=False))
    async with QuestionService(medic, store, platform, ChatSettings(), FrontSettings()) as service:
        asked = await service.take(message("```python\nprint(1 + 1)\n```", event="once"))
        await service.idle()
        again = await service.take(message("```python\nprint(1 + 1)\n```", event="once"))
        await service.idle()

    assert asked is not None and again is None
    kept = await store.get(asked.id)
    assert kept is not None and kept.state == "done"
    assert kept.answer is not None and kept.answer.status == "runs"
    assert out.getvalue().count("Runs here") == 1


async def test_an_executor_of_another_version_is_the_answer(
    medic: Pipeline, store: Store, tmp_path: Path
):
    """The card names both versions and the next step, at once: waiting would change nothing."""
    platform = ConsolePlatform(Console(file=io.StringIO(), width=100))
    with another_version(tmp_path) as (socket, theirs):
        async with ExecutorClient.on_socket(socket) as executor:
            other = replace(medic, executor=executor)
            service = QuestionService(other, store, platform, ChatSettings(), FrontSettings())
            async with service as desk:
                asked = await desk.take(message("```python\nprint(1 + 1)\n```"))
                await desk.idle()

    kept = await store.get(asked.id) if asked is not None else None
    assert kept is not None and kept.answer is not None and kept.answer.status == "not_run"
    said = kept.answer.headline
    assert theirs in said and version() in said
    assert "install the same version for both and restart them" in said


async def test_a_follow_up_without_code_is_about_the_code_before(medic: Pipeline, store: Store):
    """ "Use 8" runs the program that the thread is about; "thanks!" runs nothing."""
    platform = ConsolePlatform(Console(file=io.StringIO(), width=100))
    async with QuestionService(medic, store, platform, ChatSettings(), FrontSettings()) as service:
        await service.take(message("```python\nprint(6 * 7)\n```"))
        await service.idle()
        asked = await service.take(message("use 8 instead of 7", door="follow_up"))
        thanks = await service.take(message("thanks, that works!", door="follow_up"))
        await service.idle()

    assert asked is not None and thanks is None
    kept = await store.get(asked.id)
    assert kept is not None and kept.answer is not None and kept.answer.run is not None
    assert kept.answer.run.stdout == "48\n"


class Telegraph(ConsolePlatform):
    """A made-up platform, whose API writes a stop for every line end and a dash in prose."""

    markup = ChatMarkup(
        everywhere=lambda text: text.replace(" stop ", "\n"),
        prose=lambda text: text.replace("—", " "),
    )


async def test_a_platform_says_itself_how_its_markup_is_undone(store: Store):
    """In the whole message, or in prose alone; nothing but its own folder knows it."""
    posted = "why—that? stop ```python stop print('—') stop ```"
    asked = await store.take(message(posted))
    assert asked is not None

    question = (await read(asked, store, Telegraph(Console(file=io.StringIO())))).question
    plain = (await read(asked, store, ConsolePlatform(Console(file=io.StringIO())))).question

    assert (question.text, question.code) == ("why that?", "print('—')")
    assert plain.code == "" and "why—that? stop" in plain.text


class Steps(ConsolePlatform):
    """A console that remembers what it was told to show."""

    def __init__(self) -> None:
        super().__init__(Console(file=io.StringIO(), width=100))
        self.said: list[str] = []

    async def show(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        self.said += [view.text] if isinstance(view, Working) else []
        return await super().show(question, place, view, card)


async def test_a_full_executor_is_waited_for_in_words(medic: Pipeline, store: Store):
    """Its queue is full of others' jobs: the card says how many, and becomes the answer."""
    platform = Steps()
    async with ExecutorClient.embedded({"slots": 1, "queue": 1, "torch": False}) as executor:
        await executor.run(Job(code=""))  # it is warm
        slow = Job(code="import time\ntime.sleep(5)")
        others = []
        for place in ("running", "waiting"):
            others.append(asyncio.create_task(executor.run(slow)))
            for _ in range(600):
                if (await executor.health())[place]:
                    break
                await asyncio.sleep(0.05)
        full = replace(medic, executor=executor)
        async with QuestionService(
            full, store, platform, ChatSettings(), FrontSettings()
        ) as service:
            asked = await service.take(message("```python\nprint(6 * 7)\n```"))
            await service.idle()
        await asyncio.gather(*others)

    assert "1 job is before yours where I run code; trying again" in platform.said
    kept = await store.get(asked.id) if asked else None
    assert kept is not None and kept.answer is not None and kept.answer.run is not None
    assert kept.answer.run.stdout == "42\n"
