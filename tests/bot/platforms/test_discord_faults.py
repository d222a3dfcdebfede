"""Whatever fails on the way to Discord, the asker ends with one card: never two, never none."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from executor.exceptions import ExecutorGoneError
from executor.protocol import Job, JobResult
from executor.service.client import ExecutorClient
from tests.bot.fakes.discord import Json, text_of
from tests.bot.platforms.on_discord import PRINT, World, asked, run_again
from tests.bot.service.test_store import still_open

MESSAGES = r"/channels/\d+/messages$"
MESSAGE = r"/channels/\d+/messages/\d+$"
ORIGINAL = r"/webhooks/.*/@original$"


async def one_card(world: World) -> Json:
    """The one card, finished, after everything has come to rest."""
    card = await world.card()
    await asyncio.sleep(0.3)
    assert [m["id"] for m in world.cards()] == [card["id"]]
    assert "42" in text_of(card)
    return card


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_refused_or_half_done_first_message(world: World, status: int, done: bool):
    """Also where Discord made the message and only its answer was lost."""
    async with world.bot() as bot:
        world.fake.fail("POST", MESSAGES, status, done=done and status != 429)
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await one_card(world)
        await bot.service.idle()


@pytest.mark.parametrize(("status", "times"), [(429, 3), (502, 1), (503, 2)])
async def test_edits_that_fail_come_later(world: World, status: int, times: int):
    """Steps may be lost, the answer is not."""
    async with world.bot() as bot:
        world.fake.fail("PATCH", MESSAGE, status, times)
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await one_card(world)
        await bot.service.idle()


async def test_a_private_answer_survives_errors(world: World):
    """The slash command's one message is reached in the end."""
    async with world.bot() as bot:
        world.fake.fail("PATCH", ORIGINAL, 503, 2)
        await world.fake.slash(world.maya, world.help, question=PRINT)
        card = await one_card(world)
        await bot.service.idle()

    assert card["flags"] & 64


async def test_an_answer_that_comes_after_the_token_has_died(world: World):
    """Fifteen minutes in the queue: a private answer comes as a direct message."""
    gate = asyncio.Event()
    slow = replace(world.medic, look=_after(world.medic.look, gate))
    async with world.bot(slow) as bot:
        await world.fake.slash(world.maya, world.help, question=PRINT)
        await world.fake.until(lambda: world.cards())
        world.fake.expire()
        first = world.cards()[0]
        gate.set()
        direct = world.fake.direct(world.maya)
        card = await world.card(direct)
        await bot.service.idle()

    assert "42" in text_of(card) and "42" not in text_of(first)


@pytest.mark.parametrize("public", [False, True])
async def test_an_acknowledgement_that_comes_too_late(world: World, public: bool):
    """Discord has given up on the command; the answer comes another way."""
    world.fake.ack_s = -1
    async with world.bot() as bot:
        await world.fake.slash(world.maya, world.help, question=PRINT, public=public)
        card = await one_card(world)
        await bot.service.idle()

    place = world.help if public else world.fake.direct(world.maya)
    assert card["channel_id"] == place.id and not card["flags"] & 64


def _after(look: Any, gate: asyncio.Event) -> Any:
    """A search that waits for a gate; called in a thread."""
    loop = asyncio.get_running_loop()

    def waiting(*args: Any) -> Any:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result(60)
        return look(*args)

    return waiting


async def test_what_was_said_while_it_was_down(world: World):
    """Discord delivers no message twice, so the bot reads it up: once, and nothing that is old."""
    fake, maya, otto = world.fake, world.maya, world.otto
    direct = fake.direct(maya)
    async with world.bot() as bot:
        await fake.post(maya, direct, PRINT)
        await world.card(direct)
        known = await fake.post(otto, world.help, f"{world.me} {PRINT}")
        await fake.until(lambda: len(world.cards()) == 2)
        await bot.service.idle()
    missed = await fake.post(otto, world.help, f"{world.me} {PRINT}")
    await fake.post(maya, direct, PRINT)
    await fake.post(otto, world.help, f"{world.me} {PRINT}", ago_s=3600)
    await fake.post(otto, world.help, "nothing for the bot")
    for _ in range(2):
        async with world.bot() as bot:
            await fake.until(lambda: len(world.cards()) == 4)
            await bot.service.idle()
    threads = {m["channel_id"] for m in world.cards()} - {direct.id}

    assert len(world.cards()) == 4 and len(world.cards(direct)) == 2
    assert threads == {known["id"], missed["id"]}


async def test_a_channel_that_may_not_be_read_stops_no_other(world: World):
    """A refusal of one channel's history is that channel's alone."""
    fake = world.fake
    closed = fake.channel("closed")
    await fake.post(world.otto, closed, f"{world.me} {PRINT}")
    await fake.post(world.maya, world.help, f"{world.me} {PRINT}")
    fake.fail("GET", rf"/channels/{closed.id}/messages$", 403, 5)
    async with world.bot() as bot:
        await one_card(world)
        await bot.service.idle()


async def test_the_gateway_is_gone_for_a_moment(world: World):
    """Without a word, while a question comes: it is replayed at the RESUME."""
    async with world.bot() as bot:
        await world.fake.drop()
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await one_card(world)
        await bot.service.idle()

    assert world.fake.resumed == 1 and world.fake.identified == 1


async def test_the_gateway_asks_to_reconnect(world: World):
    """Op 7 in the middle of a question; a second one comes before the RESUME."""
    async with world.bot() as bot:
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await world.fake.reconnect()
        await world.fake.post(world.otto, world.fake.direct(world.otto), PRINT)
        await world.fake.until(lambda: len(world.cards()) == 2)
        await bot.service.idle()

    assert world.fake.resumed >= 1
    assert all("42" in text_of(c) for c in world.cards())


async def test_a_session_that_cannot_be_resumed_starts_anew(world: World):
    """Op 9: identify again; the next question is answered."""
    async with world.bot() as bot:
        world.fake.sessions.clear()
        await world.fake.drop()
        await world.fake.until(lambda: world.fake.identified == 2 and world.fake.sessions)
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await one_card(world)
        await bot.service.idle()


async def test_events_that_come_twice_are_answered_once(world: World):
    """Messages, edits, commands and clicks, also after a restart."""
    async with world.bot() as bot:
        message = await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await world.fake.redeliver()
        card = await one_card(world)
        await bot.service.idle()
        await world.fake.redeliver()
        await world.fake.edit(message, f"{world.me} again {PRINT}")
        await world.fake.redeliver(2)
        await world.fake.until(lambda: card["edited_timestamp"])
        await bot.service.idle()
        await run_again(world, bot, card, seed="1")
        await world.fake.redeliver(3)
        await bot.service.idle()
        events = [e for s in world.fake.sessions.values() for e in s.events]
    async with world.bot() as bot:
        (session,) = world.fake.sessions.values()
        for event in [e for e in events if e["t"] in ("MESSAGE_CREATE", "INTERACTION_CREATE")]:
            await world.fake._send(session, event["t"], event["d"])
        await asyncio.sleep(0.5)
        await bot.service.idle()

    assert len(world.cards()) == 2  # the question's, and that of its rerun


async def test_a_click_after_a_restart(world: World):
    """The button carries all it needs: every one of them works."""
    async with world.bot() as bot:
        card = await asked(world, bot, PRINT)
    async with world.bot() as bot:
        await run_again(world, bot, card, seed="2")
        await world.fake.click(world.maya, card, "Full output")
        await world.fake.until(lambda: any(m["attachments"] for m in world.fake.by_bot()))
        await world.fake.click(world.maya, card, "Solved")
        await world.fake.until(lambda: "solved" in text_of(card))
        await world.fake.click(world.maya, card, "Delete")
        await world.fake.until(lambda: card["id"] in world.fake.deleted)


@pytest.mark.parametrize("door", ["mention", "direct", "slash"])
async def test_a_crash_right_after_the_card_was_made(world: World, door: str):
    """The bot dies before it has noted where the card is; the next start finds it."""
    gate = asyncio.Event()
    slow = replace(world.medic, look=_after(world.medic.look, gate))
    async with world.bot(slow):
        if door == "mention":
            await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        elif door == "direct":
            await world.fake.post(world.maya, world.fake.direct(world.maya), PRINT)
        else:
            await world.fake.slash(world.maya, world.help, question=PRINT)
        first = (await world.fake.until(lambda: world.cards()))[0]
    (open_,) = await still_open(world.store)
    await world.store.shown(open_.id, None)  # as if it had died a moment earlier
    gate.set()
    async with world.bot() as bot:
        card = await one_card(world)
        await bot.service.idle()

    assert card["id"] == first["id"]


async def test_a_card_that_a_moderator_deleted_comes_back_on_an_edit(world: World):
    """The message is gone: the next answer makes a new one."""
    async with world.bot() as bot:
        message = await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        card = await world.card()
        await bot.service.idle()
        del world.fake.channels[card["channel_id"]].messages[card["id"]]
        await world.fake.edit(message, f"{world.me} once more {PRINT}")
        again = await world.card()
        await bot.service.idle()

    assert again["id"] != card["id"] and len(world.cards()) == 1


class Gone(ExecutorClient):
    """An executor that is not there for a while."""

    def __init__(self, real: ExecutorClient, seconds: float) -> None:
        self._real, self._until = real, time.monotonic() + seconds

    async def run(self, job: Job, ahead: Callable[[int], None] | None = None) -> JobResult:
        """Refuse, then run."""
        if time.monotonic() < self._until:
            raise ExecutorGoneError("the executor is not there")
        return await self._real.run(job, ahead)


async def test_the_executor_is_gone_for_ten_seconds(world: World):
    """The card says so, and becomes the answer when it is back."""
    away = replace(world.medic, executor=Gone(world.medic.executor, 10))
    async with world.bot(away) as bot:
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        card = await one_card(world)
        await bot.service.idle()
    said = [text_of(m) for m in world.fake.histories[card["id"]]]

    assert any("does not answer yet" in s for s in said)


async def test_two_questions_of_one_person_wait_for_each_other(world: World):
    """One at a time, and the second says its place."""
    gate = asyncio.Event()
    slow = replace(world.medic, look=_after(world.medic.look, gate))
    async with world.bot(slow) as bot:
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await world.fake.until(lambda: world.cards())
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await world.fake.until(
            lambda: any("1 question is before yours" in text_of(m) for m in world.cards())
        )
        gate.set()
        await world.fake.until(lambda: all("42" in text_of(m) for m in world.cards()))
        await bot.service.idle()

    assert len(world.cards()) == 2


async def test_who_takes_no_direct_messages_is_told_in_place(world: World):
    """A refusal that cannot be said in private is said as a reply: silence would be worse."""
    world.fake.direct(world.otto).closed = True
    async with world.bot(users=(world.maya.id,)):
        await world.fake.post(world.otto, world.help, f"{world.me} {PRINT}")
        await world.fake.until(lambda: world.fake.by_bot(world.help))

    (told,) = world.fake.by_bot(world.help)
    assert "not on it" in text_of(told) and told["mentions"] == []
