"""A bot in a Slack of our own: what the tests of Slack share."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest_asyncio

from bot.diagnosis.pipeline import Pipeline
from bot.platforms.slack.app import SlackFront
from bot.platforms.slack.client import SlackClient
from bot.platforms.slack.messages import SlackPlatform
from bot.platforms.slack.settings import SlackSettings, SlackTokens
from bot.service.questions import QuestionService
from bot.service.seam import Place
from bot.service.store import Store
from bot.service.store.stored import Stored
from bot.settings import ChatSettings, Secret
from tests.bot.fakes.slack import APP_TOKEN, BOT_TOKEN, SECRET, FakeSlack

TOKENS = SlackTokens(Secret(BOT_TOKEN), Secret(APP_TOKEN), Secret(SECRET))
PRINT = "```\nprint({})\n```"
IN_PLACE = (
    "why?\n```\nimport torch\ny = torch.ones(2, requires_grad=True).exp()\ny += 1\n"
    "y.sum().backward()\n```"
)


class Bot:
    """The bot of a test and the Slack it talks to."""

    def __init__(
        self, slack: FakeSlack, service: QuestionService, store: Store, platform: SlackPlatform
    ) -> None:
        self.slack, self.service, self.store, self.platform = slack, service, store, platform

    async def kept(self, ts: str, channel: str = "C1") -> Stored:
        """The question that this message asked."""
        place = Place(platform="slack", channel=channel, message=ts)
        found = await self.store.by_message(place)
        assert found is not None
        return found


Open = Callable[..., Any]


@pytest_asyncio.fixture
async def open_bot(medic: Pipeline, tmp_path: Path) -> AsyncIterator[Open]:
    """Starts bots; a second one in the same test has the same Slack and the same store."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(FakeSlack().listening())

        @asynccontextmanager
        async def open_(
            chat: ChatSettings | None = None,
            with_medic: Pipeline = medic,
            tokens: SlackTokens = TOKENS,
            **settings: Any,
        ) -> AsyncIterator[Bot]:
            front_settings = SlackSettings(api_url=slack.url, **{"port": 0} | settings)
            if front_settings.mode == "http":
                with socket.create_server(("127.0.0.1", 0)) as s:
                    port = s.getsockname()[1]
                front_settings = SlackSettings(api_url=slack.url, **settings | {"port": port})
                slack.http_target = f"http://127.0.0.1:{port}/slack/events"
            platform = SlackPlatform(SlackClient(front_settings, tokens))
            await platform.client.meet()
            front = SlackFront(platform, front_settings, tokens)
            async with Store.at(f"sqlite:///{tmp_path / 'store.db'}", tmp_path) as store:
                async with QuestionService(
                    with_medic, store, platform, chat or ChatSettings(at_once=2), front_settings
                ) as service:
                    async with front.serve(service):
                        if front_settings.mode == "socket":
                            await slack.connected()
                        yield Bot(slack, service, store, platform)

        yield open_
