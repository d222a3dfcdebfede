"""One conversation, held on every platform: the same Answer, whatever the card looks like."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.console import Console

from bot.diagnosis.pipeline import Pipeline
from bot.models import Answer
from bot.platforms.console.chat import ConsoleChat
from bot.platforms.discord.app import DiscordFront
from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.slack.app import SlackFront
from bot.platforms.slack.client import SlackClient
from bot.platforms.slack.messages import SlackPlatform
from bot.platforms.slack.settings import SlackSettings, SlackTokens
from bot.service.questions import QuestionService
from bot.service.seam import Place
from bot.service.store import Store
from bot.settings import ChatSettings, Secret
from tests.bot.fakes.discord import CONTENT, FakeDiscord
from tests.bot.fakes.slack import APP_TOKEN, BOT_TOKEN, SECRET, FakeSlack

SCRIPT = [
    "why?\n```python\nimport torch\ny = torch.ones(2, requires_grad=True).exp()\ny += 1\n"
    "y.sum().backward()\n```",
    "does it also fail when a < b & c > d?",  # a follow-up that no rule knows
    "use 2 instead of 1",  # one that changes a line
    "```python\nprint('<&>', 6 * 7)\n```",
    "what about a data frame?",
]

Say = Callable[[str], Awaitable[Answer]]


@asynccontextmanager
async def on_console(medic: Pipeline, store: Store) -> AsyncIterator[Say]:
    """A person at a terminal; its store is its own and ends with it."""
    console = Console(file=io.StringIO(), width=100)
    async with ConsoleChat.at(medic, console) as chat:

        async def say(text: str) -> Answer:
            asked = await chat.say(text)
            return asked.answer  # type: ignore[union-attr, return-value]

        yield say


@asynccontextmanager
async def on_slack(medic: Pipeline, store: Store) -> AsyncIterator[Say]:
    """A person in a channel: a mention, then follow-ups in the thread."""
    tokens = SlackTokens(Secret(BOT_TOKEN), Secret(APP_TOKEN), Secret(SECRET))
    async with FakeSlack().listening() as slack:
        settings = SlackSettings(api_url=slack.url)
        platform = SlackPlatform(SlackClient(settings, tokens))
        await platform.client.meet()
        async with QuestionService(medic, store, platform, ChatSettings(), settings) as service:
            async with SlackFront(platform, settings, tokens).serve(service):
                await slack.connected()
                root: list[str] = []

                async def say(text: str) -> Answer:
                    # Slack escapes what a person types.
                    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                    ts = await slack.say(text, mention=not root, thread=root[0] if root else "")
                    root.append(ts)
                    await service.idle()
                    place = Place(platform="slack", channel="C1", thread=root[0])
                    return (await store.in_thread(place))[-1].answer  # type: ignore[return-value]

                yield say


@asynccontextmanager
async def on_discord(medic: Pipeline, store: Store) -> AsyncIterator[Say]:
    """A person in a channel: a mention, then follow-ups in the thread."""
    async with FakeDiscord() as fake:
        fake.allowed_intents = CONTENT
        settings = DiscordSettings(
            api_url=fake.api_url, gateway_url=fake.gateway_url, message_content=True
        )
        async with (
            DiscordFront(settings, Secret(fake.token), lambda _: None) as front,
            QuestionService(medic, store, front.platform, ChatSettings(), settings) as service,
        ):
            serving = asyncio.create_task(front.serve(service))
            await fake.until(lambda: front.is_ready)
            maya = fake.person("maya")
            posted: list[str] = []

            async def say(text: str) -> Answer:
                channel = fake.channels[posted[0]] if posted else fake.help
                called = text if posted else f"<@{fake.bot.id}> {text}"
                posted.append((await fake.post(maya, channel, called))["id"])
                place = Place(platform="discord", channel=fake.help.id, thread=posted[0])
                for _ in range(3_000):
                    kept = await store.in_thread(place)
                    if len(kept) == len(posted) and kept[-1].state != "open":
                        break
                    await asyncio.sleep(0.02)
                return kept[-1].answer  # type: ignore[return-value]

            yield say
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


PLATFORMS = {"console": on_console, "slack": on_slack, "discord": on_discord}


def told(answer: Answer) -> dict[str, object]:
    """What an Answer says, without how long it took."""
    return {
        "status": answer.status, "headline": answer.headline, "culprit": answer.culprit,
        "error": answer.error and (answer.error.type, answer.error.line, answer.error.message),
        "findings": answer.findings, "assumptions": answer.assumptions, "why": answer.why,
        "fix": answer.fix and (answer.fix.diff, answer.fix.code, answer.fix.verified),
        "sources": answer.sources, "printed": answer.run and answer.run.stdout,
    }  # fmt: skip


@pytest.fixture(scope="module")
def seen() -> dict[str, list[dict[str, object]]]:
    """What each platform was told."""
    return {}


@pytest.mark.parametrize("name", PLATFORMS)
async def test_the_same_conversation_gives_the_same_answers(
    name: str, medic: Pipeline, tmp_path: Path, seen: dict[str, list[dict[str, object]]]
):
    """Doors, escapes and cards differ; what is said does not."""
    async with Store.at("", tmp_path) as store, PLATFORMS[name](medic, store) as say:
        seen[name] = [told(await say(text)) for text in SCRIPT]

    assert [a["status"] for a in seen[name]][:4] == ["fixed", "advice", "runs", "runs"]
    assert "I do not know what to change for that" in str(seen[name][1]["headline"])
    assert "`y = y + 2` instead of `y = y + 1`" in str(seen[name][2]["assumptions"])
    assert seen[name][3]["printed"] == "<&> 42\n"
    assert seen[name] == seen.setdefault("console", seen[name])
