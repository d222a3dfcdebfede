"""A bot in a Discord of our own: what the tests of Discord share."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest_asyncio

from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from bot.platforms.discord.app import DiscordFront
from bot.platforms.discord.settings import DiscordSettings
from bot.service.questions import QuestionService
from bot.service.store import Store
from bot.settings import ChatSettings, Secret
from tests.bot.fakes.discord import CONTENT, Channel, FakeDiscord, Json, Person, buttons, text_of
from tests.conftest import last_of

PRINT = "```python\nprint(6 * 7)\n```"
BROKEN = (
    "why does backward fail?\n```python\nimport torch\nx = torch.ones(2, requires_grad=True)\n"
    "y = x.exp()\ny += 1\nprint('so far')\ny.sum().backward()\n```"
)


@dataclass
class Bot:
    """A running bot, and what it said when it started."""

    service: QuestionService
    said: list[str]


class World:
    """A Discord, two people, and a store that outlives the bot."""

    def __init__(self, fake: FakeDiscord, medic: Pipeline, store: Store) -> None:
        self.fake, self.medic, self.store = fake, medic, store
        self.maya = fake.person("maya")
        self.otto = fake.person("otto")
        self.help = fake.help
        self.me = f"<@{fake.bot.id}>"

    @asynccontextmanager
    async def bot(self, medic: Pipeline | None = None, **settings: Any) -> AsyncIterator[Bot]:
        """The bot, connected."""
        front = DiscordSettings(
            api_url=self.fake.api_url, gateway_url=self.fake.gateway_url, **settings
        )
        if front.message_content:
            self.fake.allowed_intents |= CONTENT
        said: list[str] = []
        async with (
            DiscordFront(front, Secret(self.fake.token), said.append) as door,
            QuestionService(
                medic or self.medic, self.store, door.platform, ChatSettings(), front
            ) as service,
        ):
            serving = asyncio.create_task(door.serve(service))
            sessions = self.fake.identified
            await self.fake.until(lambda: self.fake.identified > sessions and door.is_ready)
            yield Bot(service, said)
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def card(self, channel: Channel | None = None, has: str = "answered in") -> Json:
        """The one card there is, once it shows the answer."""
        await self.fake.until(lambda: any(has in text_of(m) for m in self.cards(channel)))
        (card,) = self.cards(channel)
        return card

    def cards(self, channel: Channel | None = None) -> list[Json]:
        """The bot's messages with buttons of a question."""
        return [
            m
            for m in self.fake.by_bot(channel)
            if any(re.fullmatch(r"tm:[a-z]+:[0-9a-f]{16}", b["custom_id"]) for b in buttons(m))
        ]

    def words(self, person: Person | None = None) -> list[str]:
        """What the bot said beside its cards, in private or not."""
        return [text_of(m) for m in self.fake.by_bot() if m not in self.cards()]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def warm(medic: Pipeline) -> Pipeline:
    """A Pipeline whose index is loaded: what is timed here is Discord."""
    await last_of(medic.answer(read_message(BROKEN)))
    return medic


@pytest_asyncio.fixture
async def world(warm: Pipeline, tmp_path: Path) -> AsyncIterator[World]:
    """A Discord of our own."""
    async with FakeDiscord() as fake, Store.at(f"sqlite:///{tmp_path / 'q.db'}", tmp_path) as store:
        yield World(fake, warm, store)
        assert not [r for r in fake.refused if " 50035 " in r or " 50006 " in r], fake.refused


async def asked(world: World, bot: Bot, text: str = BROKEN) -> Json:
    """A finished card of maya's."""
    await world.fake.post(world.maya, world.help, f"{world.me} {text}")
    card = await world.card()
    await bot.service.idle()
    return card


async def run_again(world: World, bot: Bot, card: Json, **chosen: str) -> Json:
    """Press, fill in the form, and wait for the new card."""
    form = await world.fake.click(world.maya, card, "Run again")
    await world.fake.until(lambda: form.modal)
    before = {m["id"] for m in world.cards()}
    await world.fake.submit(form, **chosen)

    def new() -> list[Json]:
        return [m for m in world.cards() if m["id"] not in before and "answered in" in text_of(m)]

    (made,) = await world.fake.until(new)
    await bot.service.idle()
    return made
