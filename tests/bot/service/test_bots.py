"""Several `torchmedic slack` on one PostgreSQL: they share the questions, and outlive each other.

TORCHMEDIC_ROUNDS says how often one is killed (1), TORCHMEDIC_QUESTIONS how many are asked around
each kill (20).
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
from collections import Counter
from collections.abc import Collection
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import pytest

from bot.diagnosis.pipeline import Pipeline
from bot.platforms.slack.app import SlackFront
from bot.platforms.slack.client import SlackClient
from bot.platforms.slack.messages import SlackPlatform
from bot.platforms.slack.settings import SlackSettings
from bot.service.questions import QuestionService
from bot.service.store import Store
from bot.service.store.leases import Leases
from bot.settings import ChatSettings, Settings
from tests.bot.fakes.slack import BOT_TOKEN, FakeSlack, buttons
from tests.bot.platforms.on_slack import TOKENS
from tests.bot.service.test_kill import Process, long_lived_executor
from tests.bot.service.test_store import still_open

ROUNDS = int(os.environ.get("TORCHMEDIC_ROUNDS", "1"))
QUESTIONS = int(os.environ.get("TORCHMEDIC_QUESTIONS", "20"))
LEASE_S = 3


def _answered(slack: FakeSlack) -> set[str | None]:
    return {c.thread_ts for c in slack.cards() if buttons(c.blocks)}


@pytest.mark.timeout(180 + ROUNDS * (90 + 2 * QUESTIONS))
async def test_one_of_two_bots_is_killed_and_every_question_has_one_card(
    settings: Settings, database: str, tmp_path: Path
):
    """kill -9 at a random moment; the other takes over what it had, and posts nothing twice."""
    chance = random.Random(ROUNDS * QUESTIONS)
    slack = FakeSlack()
    slack.spread = chance
    async with slack.listening(), long_lived_executor(tmp_path) as url, AsyncExitStack() as stack:
        bots = []
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
            bot = Process(
                slack,
                tmp_path / name,
                TORCHMEDIC_EXECUTOR__URL=url,
                TORCHMEDIC_CHAT__AT_ONCE="2",
                TORCHMEDIC_STORE__URL=database,
                TORCHMEDIC_STORE__LEASE_S=str(LEASE_S),
                TORCHMEDIC_STATE=settings.state,
                TORCHMEDIC_LOG__FORMAT="json",
            )
            bots.append(stack.enter_context(bot))
        asked: list[str] = []

        async def ask(n: int) -> None:
            await asyncio.sleep(chance.random() * QUESTIONS / 10)
            asked.append(await slack.say(f"```print({n})```", mention=True, user=f"U{n}"))

        for number in range(ROUNDS):
            await slack.until(lambda: len(slack.sockets) == 2, 150)
            first = number * QUESTIONS
            batch = [asyncio.create_task(ask(first + i)) for i in range(QUESTIONS)]
            at = chance.randrange(1, QUESTIONS)  # sometime between the first answer and the last
            await slack.until(lambda at=first + at: len(_answered(slack)) >= at, 150 + QUESTIONS)
            await asyncio.sleep(chance.random())
            victim = chance.choice(bots)
            victim.kill()
            await asyncio.gather(*batch)  # Slack delivers again what was not acknowledged
            await slack.until(
                lambda all=first + QUESTIONS: len(_answered(slack)) == all, 150 + 2 * QUESTIONS
            )
            victim.start()
            print(f"{number + 1} kills, {len(slack.cards())} cards", flush=True)
        await slack.until(lambda: len(slack.sockets) == 2, 150)
        codes = [bot.kill(signal.SIGTERM) for bot in bots]
        logs = [bot.log.read_text() for bot in bots]
        taken_over = sum(int(n) for log in logs for n in re.findall(r"(\d+) questions were", log))
        cards = Counter(c.thread_ts for c in slack.cards())
        worked = [len(set(re.findall(r"question (\w+) through", log))) for log in logs]

    print(
        f"{ROUNDS} kills, {ROUNDS * QUESTIONS} questions, {worked} taken in by each bot, "
        f"{taken_over} taken over"
    )
    assert codes == [0, 0]
    assert len(asked) == ROUNDS * QUESTIONS and set(cards) == set(asked)
    assert set(cards.values()) == {1}
    assert all(worked) and (taken_over or ROUNDS < 3)
    assert not any(secret in log for log in logs for secret in (BOT_TOKEN, "print("))


async def test_the_database_is_gone_while_a_snippet_runs(
    medic: Pipeline, postgres: str, database: str, tmp_path: Path
):
    """Not a word of it in the card: once it is back, the question is answered, once."""
    name = database.partition("?")[0].rpartition("/")[2]
    away = f"""
        ALTER DATABASE {name} ALLOW_CONNECTIONS false;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"""
    server = await asyncpg.connect(postgres)
    async with FakeSlack().listening() as slack:
        settings = SlackSettings(api_url=slack.url)
        platform = SlackPlatform(SlackClient(settings, TOKENS))
        await platform.client.meet()
        async with Store.at(database, tmp_path, 1.0) as store:
            async with QuestionService(
                medic, store, platform, ChatSettings(at_once=1), settings
            ) as service:
                async with SlackFront(platform, settings, TOKENS).serve(service):
                    slow = "```import time\ntime.sleep(2)\nprint('back')```"
                    ts = await slack.say(slow, mention=True)
                    await slack.until(lambda: slack.cards())
                    await server.execute(away)
                    await asyncio.sleep(4)  # the run ends meanwhile, and nothing can be kept
                    await server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
                    card = await slack.answer(ts)
                    await service.idle()
            looked = await still_open(store)
    await server.close()

    assert len(slack.cards()) == 1 and "back" in card.shown and looked == []
    assert not any("mistake of my own" in str(v) or "set-up" in str(v) for v in card.versions)


class Stalled(Leases):
    """Leases that are not renewed: the database is away, or the process was stopped."""

    async def renew(self, ids: Collection[str]) -> set[str]:
        """Never comes back."""
        await asyncio.Event().wait()
        return set(ids)


async def test_a_card_that_comes_too_late_is_taken_back(
    medic: Pipeline, database: str, tmp_path: Path
):
    """The first bot's card was on its way while its lease ran out: the second one's stays."""
    lease_s = 1.0
    async with FakeSlack().listening() as slack, AsyncExitStack() as stack:
        settings = SlackSettings(api_url=slack.url)

        async def open_question_service(
            leases: type[Leases],
        ) -> tuple[QuestionService, SlackPlatform]:
            platform = SlackPlatform(SlackClient(settings, TOKENS))
            await platform.client.meet()
            store = await stack.enter_async_context(Store.at(database, tmp_path))
            store.leases = leases(store.database, lease_s)
            service = QuestionService(medic, store, platform, ChatSettings(at_once=1), settings)
            return await stack.enter_async_context(service), platform

        service, platform = await open_question_service(Stalled)
        await stack.enter_async_context(SlackFront(platform, settings, TOKENS).serve(service))
        late = slack.delay("chat.postMessage")
        ts = await slack.say("```print('once')```", mention=True)
        await slack.until(lambda: any(name == "chat.postMessage" for name, _ in slack.calls))
        await open_question_service(Leases)
        card = await slack.answer(ts)
        late.set()
        await slack.until(lambda: any(name == "chat.delete" for name, _ in slack.calls))

        assert [name for name, _ in slack.calls].count("chat.postMessage") == 2
        assert [c.ts for c in slack.cards()] == [card.ts]
        assert "once" in card.shown
