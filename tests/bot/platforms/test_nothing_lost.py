"""Nothing is lost or wrong on the first day: dead tokens, a locked store, deleted questions."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import sqlalchemy.event
from sqlalchemy.exc import OperationalError

from bot.errors import PlatformError, SettingsError
from bot.platforms.discord.app import DiscordFront
from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.slack.client import SlackClient
from bot.platforms.slack.settings import SlackSettings, SlackTokens
from bot.service import questions
from bot.service.questions import QuestionService
from bot.service.store import Store
from bot.settings import ChatSettings, Secret
from tests.bot.fakes.discord import text_of
from tests.bot.fakes.slack import APP_TOKEN, SECRET, buttons
from tests.bot.platforms.on_discord import PRINT as DISCORD_PRINT
from tests.bot.platforms.on_discord import World
from tests.bot.platforms.on_slack import PRINT, TOKENS, Open
from tests.bot.service.test_store import still_open

# -- a token that dies -----------------------------------------------------------------------


async def test_questions_wait_for_a_good_slack_token(open_bot: Open):
    """Revoked while running: every question waits, the operator is told, a restart answers."""
    async with open_bot(token_patience_s=0.5) as bot:
        bot.slack.bot_token = "xoxb-new"
        file = bot.slack.file("a.py", b"print('from the file')\n")
        first = await bot.slack.say(PRINT.format("'waited'"), mention=True)
        second = await bot.slack.say("why?", channel="D1", files=[file])
        with pytest.raises(SettingsError, match=r"refuses SLACK_BOT_TOKEN \(invalid_auth\)"):
            await asyncio.wait_for(bot.platform.client.tokens.ended(), 60)
        assert not bot.slack.cards() and len(await still_open(bot.store)) == 2
    good = SlackTokens(Secret("xoxb-new"), Secret(APP_TOKEN), Secret(SECRET))
    async with open_bot(tokens=good) as bot:
        card = await bot.slack.answer(first)
        direct = await bot.slack.answer(second, "D1")

        assert "waited" in card.shown and "from the file" in direct.shown


async def test_questions_wait_for_a_good_discord_token(world: World):
    """Reset in the portal while running: the same."""
    settings = DiscordSettings(
        api_url=world.fake.api_url, gateway_url=world.fake.gateway_url, token_patience_s=0.5
    )
    async with (
        DiscordFront(settings, Secret(world.fake.token), lambda _: None) as front,
        QuestionService(world.medic, world.store, front.platform, ChatSettings(), settings) as s,
    ):
        serving = asyncio.create_task(front.serve(s))
        await world.fake.until(lambda: front.is_ready)
        world.fake.token = "another"
        await world.fake.post(world.maya, world.help, f"{world.me} {DISCORD_PRINT}")
        with pytest.raises(SettingsError, match="refuses DISCORD_TOKEN; copy it anew"):
            await asyncio.wait_for(serving, 60)
    assert not world.cards() and len(await still_open(world.store)) == 1
    async with world.bot():
        assert "42" in text_of(await world.card())


async def test_a_gateway_that_closes_for_the_token_ends_the_process(world: World):
    """Nobody asks anything: the connection says it."""
    settings = DiscordSettings(
        api_url=world.fake.api_url, gateway_url=world.fake.gateway_url, token_patience_s=0
    )
    async with (
        DiscordFront(settings, Secret(world.fake.token), lambda _: None) as front,
        QuestionService(world.medic, world.store, front.platform, ChatSettings(), settings) as s,
    ):
        serving = asyncio.create_task(front.serve(s))
        await world.fake.until(lambda: front.is_ready)
        world.fake.token = "another"
        world.fake.sessions.clear()
        await world.fake.drop()
        with pytest.raises(SettingsError, match="refuses DISCORD_TOKEN"):
            await asyncio.wait_for(serving, 60)


async def test_a_platform_that_cannot_be_reached_is_named():
    """With its address, and what to check."""
    slack = SlackClient(SlackSettings(api_url="http://127.0.0.1:9/api/"), TOKENS)
    with pytest.raises(PlatformError, match=r"Slack cannot be reached at http.*check the network"):
        await slack.meet()
    discord = DiscordSettings(api_url="http://127.0.0.1:9/api/v10")
    with pytest.raises(PlatformError, match=r"Discord cannot be reached.*check the network"):
        async with DiscordFront(discord, Secret("a.b.c"), lambda _: None):
            pass


# -- a store that takes nothing --------------------------------------------------------------


@asynccontextmanager
async def locked(store: Store) -> AsyncIterator[None]:
    """Another process holds the database for writing."""
    assert store.database.file is not None
    db = sqlite3.connect(store.database.file, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        db.execute("ROLLBACK")
        db.close()


async def test_a_locked_database_is_said_in_slack_and_the_question_taken_later(
    open_bot: Open, monkeypatch: pytest.MonkeyPatch
):
    """A mention, a command and a form: a sentence at once; what is delivered again is answered."""
    monkeypatch.setattr(questions, "_IN_TIME_S", 0.3)
    async with open_bot() as bot:
        async with locked(bot.store):
            saying = asyncio.create_task(bot.slack.say(PRINT.format("'taken'"), mention=True))
            told = (await bot.slack.until(lambda: bot.slack.ephemeral))[0]
            id = await bot.slack.command(PRINT.format(1))
            place = '{"platform": "slack", "channel": "C1"}'
            view = {"callback_id": "tm:ask", "id": "V1", "type": "modal",
                    "private_metadata": f'{{"place": {place}, "question": ""}}'}  # fmt: skip
            form = await bot.slack.submit(view, {"code": "print(1)", "words": ""})
            assert not bot.slack.cards()
        ts = await saying
        card = await bot.slack.answer(ts)
        await bot.service.idle()

        assert "database does not answer" in told["text"] and len(bot.slack.ephemeral) == 1
        assert "database does not answer" in bot.slack.ack_bodies[id]["text"]
        assert "database does not answer" in form["errors"]["code"]
        assert "taken" in card.shown and len(bot.slack.cards("C1", ts)) == 1


@contextmanager
def full(store: Store) -> Iterator[None]:
    """The disk is full: the database executes nothing."""

    def refuse(*_: object) -> None:
        raise OperationalError("", {}, Exception("database or disk is full"))

    engine = store.database.engine.sync_engine
    sqlalchemy.event.listen(engine, "before_cursor_execute", refuse)
    try:
        yield
    finally:
        sqlalchemy.event.remove(engine, "before_cursor_execute", refuse)


async def test_a_full_disk_is_said_in_discord_and_nothing_is_lost(world: World):
    """Discord delivers once: what came meanwhile is handled as soon as there is room again."""
    fake = world.fake
    async with world.bot() as bot:
        texts = [f"{world.me} {DISCORD_PRINT.replace('7', n)}" for n in ("7", "8")]
        removed, edited = [await fake.post(world.maya, world.help, text) for text in texts]
        await fake.until(lambda: [c for c in map(text_of, world.cards()) if "answered in" in c][1:])
        await bot.service.idle()
        card = next(c for c in world.cards() if "48" in text_of(c))

        def told() -> int:
            return sum("database does not" in w for w in world.words())

        before = told()  # on a slow machine it may have been said before
        with full(world.store):
            command = await fake.slash(world.maya, world.help, question=PRINT.format("'by form'"))
            await fake.edit(edited, f"{world.me} {DISCORD_PRINT.replace('7', '9')}")
            await fake.remove(removed)
            direct = fake.direct(world.otto)
            await fake.post(world.otto, direct, DISCORD_PRINT)
            await fake.until(lambda: told() == before + 2)
            await fake.click(world.maya, card, "Solved")
            await fake.until(lambda: any("press that again later" in w for w in world.words()))
            assert not world.cards(direct) and "48" in text_of(card)
        assert "42" in text_of(await world.card(direct))
        await fake.until(lambda: "54" in text_of(card))
        await fake.until(lambda: "by form" in text_of(fake.response(command) or {}))
        await fake.until(lambda: not any("6 * 7" in text_of(c) for c in world.cards(world.help)))


# -- what was asked is deleted ---------------------------------------------------------------


@pytest.mark.parametrize("when", ["answered", "running"])
async def test_a_deleted_question_takes_its_card_along_in_slack(open_bot: Open, when: str):
    """A message with a thread leaves a tombstone; the card and what was asked are gone."""
    async with open_bot() as bot:
        code = "1" if when == "answered" else "__import__('time').sleep(5)"
        ts = await bot.slack.say(PRINT.format(code), mention=True)
        if when == "answered":
            await bot.slack.answer(ts)
        else:
            await bot.slack.until(lambda: bot.slack.cards("C1", ts))
        kept = await bot.kept(ts)
        await bot.slack.remove("C1", ts)
        await bot.slack.until(lambda: not bot.slack.cards("C1", ts))
        await bot.service.idle()
        gone = await bot.store.get(kept.id)

        assert not bot.slack.cards("C1", ts)
        assert gone is not None and gone.state == "deleted" and gone.text == ""


async def test_a_deleted_question_takes_its_card_along_in_discord(world: World):
    """In the channel's thread, and a reply in a direct channel."""
    async with world.bot() as bot:
        message = await world.fake.post(world.maya, world.help, f"{world.me} {DISCORD_PRINT}")
        await world.card()
        await bot.service.idle()
        await world.fake.remove(message)
        await world.fake.until(lambda: not world.cards())
        direct = world.fake.direct(world.maya)
        message = await world.fake.post(world.maya, direct, DISCORD_PRINT)
        await world.card(direct)
        await world.fake.remove(message)
        await world.fake.until(lambda: not world.cards())


# -- small truths ----------------------------------------------------------------------------


async def test_a_form_shows_life_at_once(open_bot: Open):
    """Before the snippet has run: the receipt is in the channel, for one pair of eyes."""
    async with open_bot() as bot:
        id = await bot.slack.press("tm:form")
        view = (await bot.slack.until(lambda: bot.slack.views))[-1]
        slow = "import time\ntime.sleep(2)\nprint('done')"
        await bot.slack.submit(view, {"code": slow, "words": ""})
        first = (await bot.slack.until(lambda: bot.slack.responses[id]))[0]
        await bot.service.idle()

        assert "On it" in first["text"] and not buttons(first["blocks"])


async def test_user_groups_of_slack_may_ask(open_bot: Open):
    """`slack.users: [S…]` holds for its members; without the scope the bot says so and stops."""
    async with open_bot() as bot:
        bot.slack.groups["S1"] = ["U1"]
        bot.slack.scopes.add("usergroups:read")
        slack = bot.slack
    async with open_bot(users=("S1",)) as bot:
        ts = await slack.say(PRINT.format("'let in'"), mention=True)
        await slack.say(PRINT.format(1), mention=True, user="U2")
        card = await slack.answer(ts)
        told = (await slack.until(lambda: slack.ephemeral))[0]

        assert "let in" in card.shown and told["user"] == "U2" and "not on it" in told["text"]
    slack.scopes_missing.add("usergroups.users.list")
    with pytest.raises(SettingsError, match="usergroups:read"):
        async with open_bot(users=("S1",)):
            pass


async def test_dropped_output_is_counted_and_a_long_line_goes_along(open_bot: Open, tmp_path: Path):
    """20,000 lines are 19,988 above the last twelve; one line of 5,000 letters is a file."""
    async with open_bot() as bot:
        ts = await bot.slack.say("```for i in range(20_000): print('step', i)```", mention=True)
        card = await bot.slack.answer(ts)
        long = await bot.slack.say(PRINT.format("'x' * 5000"), mention=True, user="U2")
        await bot.slack.answer(long)
        await bot.service.idle()

        assert "… 19,988 lines above" in card.shown
        assert [f for f in bot.slack.files.values() if f["thread"] == long]


async def test_a_headline_shows_code_as_code(open_bot: Open):
    """No backticks stand on the card."""
    async with open_bot() as bot:
        ts = await bot.slack.say("```import torch\ntorch.zeros(2).foo()```", mention=True)
        card = await bot.slack.answer(ts)
        pieces = card.blocks[0]["elements"][0]["elements"]

        assert any(p.get("style", {}).get("code") for p in pieces)
        assert not any("`" in p["text"] for p in pieces)
