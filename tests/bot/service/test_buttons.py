"""bot/service/buttons.py: a press does what it says, once, whenever the bot dies."""

from __future__ import annotations

import asyncio
import io
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from rich.console import Console
from sqlalchemy.exc import OperationalError

from bot.models import Answer, RunWith
from bot.operations.metrics import Metrics
from bot.platforms.console.card import ConsolePlatform
from bot.service.buttons import Buttons
from bot.service.seam import Attached, CardRef, Click, Person, Place, Upload, Verb
from bot.service.store import Store
from bot.service.store.stored import Stored
from bot.settings import FrontSettings
from executor.protocol import JobResult, Outcome
from tests.bot.service.test_store import incoming


class Bench:
    """Work as a button sees it: it is begun, and stopped."""

    def __init__(self) -> None:
        self.begun: list[Stored] = []

    def begin(self, asked: Stored) -> None:
        """Note it."""
        self.begun.append(asked)

    def stop(self, id: str) -> None:
        """There is none."""


class Flickering(ConsolePlatform):
    """A platform under a bot that dies at its first act."""

    def __init__(self) -> None:
        self._written = io.StringIO()
        super().__init__(Console(file=self._written, width=100))
        self.acts: list[str] = []
        self.dies = False

    @property
    def said(self) -> str:
        """What was printed."""
        return self._written.getvalue()

    async def _act(self, name: str) -> None:
        if self.dies:
            self.dies = False
            raise asyncio.CancelledError
        self.acts.append(name)

    async def hand(self, place: Place, person: Person, upload: Upload, *, private: bool) -> None:
        """Hand out a file."""
        await self._act(upload.name)

    async def refer(self, where: str, *_: object) -> None:
        """Bring a case to people."""
        await self._act(where)

    async def read(self, attached: Attached) -> bytes:
        """A file of the question."""
        return b""

    async def delete(self, card: CardRef) -> None:
        """Take the card away."""
        await self._act(card.message)


class Room:
    """A question with its answer, and what is around it."""

    def __init__(self, store: Store, asked: Stored) -> None:
        self.store = store
        self.asked = asked
        self.platform = Flickering()
        self.bench = Bench()
        front = FrontSettings(humans=("CHELP",))
        self.has_gpu = False
        self.buttons = Buttons(store, self.platform, front, Metrics(), self.bench, self._has_gpu)  # type: ignore[arg-type]

    async def _has_gpu(self) -> bool:
        return self.has_gpu

    def press(self, verb: Verb) -> Click:
        """Its asker's press; whenever it comes, the same one."""
        run_with = RunWith(seed=7) if verb == "again" else None
        return Click("p1", verb, self.asked.id, self.asked.asker, self.asked.place, "no", run_with)


@pytest_asyncio.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """One, with a card in the channel."""
    run = JobResult(outcome=Outcome.OK, stdout="42\n")
    async with Store.at("", tmp_path) as store:
        asked = await store.take(incoming("e1"))
        assert asked is not None
        await store.shown(asked.id, CardRef(channel="C", message="card"))
        await store.answered(asked.id, 0, Answer(status="runs", headline="It runs.", run=run))
        await store.done(asked.id, 0)
        yield Room(store, asked)


@pytest.mark.parametrize("verb", ["solved", "wrong", "again"])
async def test_a_press_is_kept_with_what_it_changes(room: Room, verb: Verb, tmp_path: Path):
    """The database goes away between the two: delivered again, the press is done, and once."""
    changes = "INSERT ON questions" if verb == "again" else "INSERT ON feedback"
    with sqlite3.connect(tmp_path / "torchmedic.db") as db:
        db.execute(f"CREATE TRIGGER away BEFORE {changes} BEGIN DELETE FROM nowhere; END")
    with pytest.raises(OperationalError, match="nowhere"):
        await room.buttons.click(room.press(verb))
    before = await room.store.get(room.asked.id)
    with sqlite3.connect(tmp_path / "torchmedic.db") as db:
        db.execute("DROP TRIGGER away")
    db.close()
    for _ in range(2):
        await room.buttons.click(room.press(verb))
    after = await room.store.get(room.asked.id)
    said = [verdict for _, verdict, _ in await room.store.feedback(room.asked.id)]

    assert before is not None and after is not None
    assert (before.solved, before.revision) == (False, 0)
    assert said == ([] if verb == "again" else [verb]) and after.solved is (verb == "solved")
    assert [(a.revision, a.run_with.seed) for a in room.bench.begun] == [(0, 7)] * (verb == "again")
    assert after.run_with.seed == 0 and after.answer == before.answer


async def test_a_rerun_is_a_card_of_its_own(room: Room):
    """The first card stays as it is, and an edit of the message reaches the first one only."""
    await room.buttons.click(room.press("again"))
    (second,) = room.bench.begun
    by_message = await room.store.by_message(room.asked.place)

    assert second.id != room.asked.id and second.card is None and second.text == room.asked.text
    assert by_message is not None and by_message.id == room.asked.id
    assert {q.id for q in await room.store.of_message(room.asked.place)} == {
        room.asked.id,
        second.id,
    }


async def test_what_never_ran_is_run_again_in_place(room: Room):
    """There is no good card to keep where the place that runs code did not answer."""
    again = await room.store.again(room.asked.id, "e2")
    assert again is not None
    await room.store.answered(again.id, 1, Answer(status="not_run", headline="Could not run it."))
    await room.buttons.click(room.press("again"))
    (second,) = room.bench.begun

    assert second.id == room.asked.id and second.run_with.seed == 7


@pytest.mark.parametrize("there", [False, True])
async def test_a_gpu_is_only_offered_where_there_is_one(room: Room, there: bool):
    """A form from before is refused with a sentence, and nothing runs."""
    room.has_gpu = there
    offered = await room.buttons.rerun_options(room.asked.id)
    press = room.press("again")
    await room.buttons.click(replace(press, run_with=RunWith(device="cuda")))

    assert offered.has_gpu is there and len(room.bench.begun) == there
    assert ("no GPU" in room.platform.said) is not there


@pytest.mark.parametrize(
    ("verb", "act"), [("output", "output.txt"), ("human", "CHELP"), ("delete", "card")]
)
async def test_a_press_is_kept_when_it_is_done(room: Room, verb: Verb, act: str):
    """The bot dies before it has acted: delivered again, twice at the same moment, it acts once."""
    room.platform.dies = True
    with pytest.raises(asyncio.CancelledError):
        await room.buttons.click(room.press(verb))
    kept = await room.store.get(room.asked.id)
    await asyncio.gather(*(room.buttons.click(room.press(verb)) for _ in range(2)))
    await room.buttons.click(room.press(verb))

    assert room.platform.acts == [act]
    assert kept is not None and (kept.text == "") is (verb == "delete")
