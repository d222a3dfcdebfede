"""Slack: every door and button: real libraries, a real executor, our own Slack."""

from __future__ import annotations

import asyncio
import io
import logging
import time
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from bot.diagnosis.pipeline import Pipeline
from bot.errors import SettingsError
from bot.platforms.buttons import button_id
from bot.platforms.slack.settings import slack_tokens
from bot.settings import ChatSettings, SupportChannel
from executor.exceptions import ExecutorGoneError
from executor.service.client import ExecutorClient
from tests.bot.fakes.slack import (
    APP_TOKEN,
    BOT_TOKEN,
    SECRET,
    FakeSlack,
    Limit,
    Message,
    buttons,
    signed,
)
from tests.bot.platforms.on_slack import IN_PLACE, PRINT, Open
from tests.bot.service.test_store import still_open


def answers(slack: FakeSlack, id: str) -> list[dict[str, Any]]:
    """What a response URL was sent that has buttons."""
    return [w for w in slack.responses[id] if buttons(w.get("blocks") or [])]


# -- doors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_a_mention_is_answered_in_its_thread(open_bot: Open, mode: str):
    """One message in the thread: first a sign of life, in the end the card."""
    async with open_bot(mode=mode) as bot:
        ts = await bot.slack.say(IN_PLACE, mention=True)
        card = await bot.slack.answer(ts)

        assert len(bot.slack.cards()) == 1
        assert "On it" in card.versions[0]["text"]
        assert card.text.startswith("✔ Fixed: line 3 overwrites")
        order = [
            "RuntimeError at line 4",
            "saved",
            "ran, and it passes",
            "y = torch.ones(2, requires_grad=True).exp()\ny = y + 1\ny.sum()",
            "Why",
            "torch 2.",
            "explanation checked on",
        ]
        places = [card.shown.index(part) for part in order]
        assert places == sorted(places)
        assert list(buttons(card.blocks)) == [
            "Solved",
            "Not right…",
            "Fixed file (.py)",
            "Run again…",
            "Ask a human",
            "Full output",
            "Details",
            "Delete",
        ]


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_a_command_is_acknowledged_with_words_and_answered_privately(
    open_bot: Open, mode: str
):
    """Nothing of it is in the channel: acknowledgement and card are for one pair of eyes."""
    async with open_bot(mode=mode) as bot:
        id = await bot.slack.command("what does this print?\n```print(6 * 7)```")
        posted = (await bot.slack.until(lambda: bot.slack.responses[id]))[-1]

        assert "On it" in bot.slack.ack_bodies[id]["text"]
        assert bot.slack.ack_bodies[id]["response_type"] == "ephemeral"
        assert posted["response_type"] == "ephemeral" and "Runs here" in posted["text"]
        assert "42" in str(posted["blocks"]) and not bot.slack.cards()


async def test_the_form_runs_what_is_typed(open_bot: Open):
    """Letter by letter; it opens from the welcome of an empty command."""
    async with open_bot() as bot:
        await bot.slack.command("")
        id = await bot.slack.press("tm:form")
        view = (await bot.slack.until(lambda: bot.slack.views))[-1]
        code = "a = {'x': 1 < 2}\nprint('&amp;', a['x'] & True)"
        refused = await bot.slack.submit(view, {"code": "  ", "words": None})
        await bot.slack.submit(view, {"code": code, "words": "what does it print?"})
        posted = (await bot.slack.until(lambda: answers(bot.slack, id)))[-1]

        assert refused["response_action"] == "errors"
        assert "&amp; True" in str(posted["blocks"])


async def test_a_direct_message_is_answered_there(open_bot: Open):
    """In a thread of the conversation; a follow-up in the thread needs no code of its own."""
    async with open_bot() as bot:
        ts = await bot.slack.say("`print(1)` " + PRINT.format("'one'"), channel="D1")
        first = await bot.slack.answer(ts, "D1")
        await bot.slack.say("and what is printed?", channel="D1", thread=ts)
        second = await bot.slack.until(
            lambda: [c for c in bot.slack.cards("D1", ts) if "it printed" in c.shown]
        )

        assert "one" in first.shown and "one" in second[0].shown


async def test_a_message_shortcut_diagnoses_that_message(open_bot: Open):
    """Whoever chose it is answered, privately; the message's author is not bothered."""
    async with open_bot() as bot:
        message = Message("C1", bot.slack.ts(), "U2", PRINT.format("'theirs'"))
        id = await bot.slack.shortcut(message, user="U1")
        posted = await bot.slack.until(
            lambda: [p for p in bot.slack.responses[id] if buttons(p.get("blocks") or [])]
        )

        assert "theirs" in str(posted[0]["blocks"]) and not bot.slack.cards()
        assert "On it" in bot.slack.responses[id][0]["text"]


async def test_a_bare_mention_below_a_message_is_about_that_message(open_bot: Open):
    """One word is enough to have a colleague's question looked at."""
    async with open_bot() as bot:
        root = await bot.slack.say(PRINT.format("'a &lt; b'"), user="U2")
        await bot.slack.say("", mention=True, thread=root)
        card = await bot.slack.answer(root)

        assert "a < b" in card.shown and len(bot.slack.cards()) == 1
        assert "somebody else's code, from the thread's first message" in card.shown


async def test_a_support_channel_answers_what_it_is_sure_of(open_bot: Open):
    """A root message with an error is answered unasked, once a thread; talk is left alone."""
    support = {"C9": SupportChannel(team=("UTEAM",))}
    async with open_bot(support=support) as bot:
        talk = await bot.slack.say("who is coming to lunch?", channel="C9")
        runs = await bot.slack.say(PRINT.format("1"), channel="C9")
        ts = await bot.slack.say(IN_PLACE, channel="C9")
        card = await bot.slack.answer(ts, "C9")
        await bot.slack.say(IN_PLACE, channel="C1")  # not a support channel
        await bot.service.idle()

        assert len(card.versions) == 1  # no sign of life: nobody has asked
        assert {c.thread_ts for c in bot.slack.cards("C9")} == {ts}
        assert not bot.slack.cards("C1") and talk != runs


async def test_the_teams_word_silences_the_bot(open_bot: Open):
    """Somebody of the team answers while the snippet runs: the bot has nothing to add."""
    support = {"C9": SupportChannel(team=("UTEAM",))}
    async with open_bot(support=support) as bot:
        slow = IN_PLACE.replace("import torch", "import torch, time; time.sleep(2)")
        ts = await bot.slack.say(slow, channel="C9")
        await bot.slack.say("I know this one!", channel="C9", thread=ts, user="UTEAM")
        await bot.service.idle()

        assert not bot.slack.cards("C9")


async def test_the_team_takes_a_thread_over(open_bot: Open):
    """After a word of the team the asker talks to them; a mention still calls the bot."""
    support = {"C9": SupportChannel(team=("UTEAM",))}
    async with open_bot(support=support) as bot:
        ts = await bot.slack.say(IN_PLACE, channel="C9")
        await bot.slack.answer(ts, "C9")
        await bot.slack.say("which version is that?", channel="C9", thread=ts, user="UTEAM")
        await bot.slack.say(PRINT.format(5), channel="C9", thread=ts)
        await bot.service.idle()
        before = len(bot.slack.cards("C9"))
        await bot.slack.say(PRINT.format(6), channel="C9", thread=ts, mention=True)
        await bot.slack.until(lambda: len(bot.slack.cards("C9")) == 2)
        await bot.service.idle()

        assert before == 1 and len(bot.slack.cards("C9")) == 2


async def test_attachments_are_read_with_our_token(open_bot: Open):
    """A mention's first copy comes without its files; the second brings them into the same card."""
    async with open_bot() as bot:
        code = bot.slack.file("train.py", b"print('from the file')\n", "text/x-python")
        ts = await bot.slack.say("why?", mention=True, files=[code])
        card = await bot.slack.until(
            lambda: next((c for c in bot.slack.cards("C1", ts) if "from the file" in c.shown), None)
        )
        external = {
            "name": "x.py",
            "url_private": "http://evil.example/x.py",
            "size": 9,
            "mode": "external",
            "is_external": True,
        }
        await bot.slack.say(PRINT.format(2), mention=True, files=[external])
        await bot.service.idle()

        assert len(bot.slack.cards("C1", ts)) == 1
        assert card.text.startswith("○ Runs here")


# -- the conversation ------------------------------------------------------------------------


async def test_editing_the_question_runs_it_again_in_place(open_bot: Open):
    """The same card shows the new answer; a preview that Slack adds changes nothing."""
    async with open_bot() as bot:
        ts = await bot.slack.say(PRINT.format("'before'"), mention=True)
        card = await bot.slack.answer(ts)
        await bot.slack.edit("C1", ts, "", unfurl=True)
        await bot.slack.edit("C1", ts, f"<@UBOT> {PRINT.format(repr('after'))}")
        await bot.slack.until(lambda: "after" in card.shown and buttons(card.blocks))

        answers = [v for v in card.versions if buttons(v["blocks"])]
        assert len(bot.slack.cards()) == 1 and "before" not in card.shown
        assert ["after" in str(v) for v in answers] == [False, True]


async def test_others_are_not_answered_in_the_askers_thread(open_bot: Open):
    """Follow-ups without a mention are the asker's; thanks are no question."""
    async with open_bot() as bot:
        ts = await bot.slack.say(PRINT.format(1), mention=True)
        await bot.slack.answer(ts)
        await bot.slack.say(PRINT.format(2), thread=ts, user="U2")
        await bot.slack.say("thanks, that helps!", thread=ts)
        await bot.slack.say(PRINT.format("'mine'"), thread=ts)
        await bot.slack.until(lambda: [c for c in bot.slack.cards() if "mine" in c.shown])
        await bot.service.idle()

        assert len(bot.slack.cards("C1", ts)) == 2


async def test_every_button(open_bot: Open):
    """Each does what it says; each works again after a restart."""
    async with open_bot(humans=("CHELP",)) as bot:
        ts = await bot.slack.say(f"{IN_PLACE}\n```\nprint('later')\n```", mention=True)
        card = await bot.slack.answer(ts)
        kept = await bot.kept(ts)
    async with open_bot(humans=("CHELP",)) as bot:  # restarted: buttons carry the question's id
        press = buttons(card.blocks)
        slack = bot.slack

        await slack.press(press["Not right…"], ts=card.ts)
        view = (await slack.until(lambda: slack.views))[-1]
        kind = {"selected_option": {"value": "fix"}}
        await slack.submit(view, {"kind": kind, "words": "the loss is still wrong"})
        await slack.until(lambda: [c for c in slack.calls if c[0] == "response_url"])

        await slack.press(press["Fixed file (.py)"], ts=card.ts, copies=2)
        fixed = (await slack.until(lambda: [f for f in slack.files.values() if f["thread"] == ts]))[
            0
        ]

        await slack.press(press["Ask a human"], ts=card.ts)
        case = (await slack.until(lambda: slack.cards("CHELP")))[0]

        await slack.press(press["Run again…"], ts=card.ts)
        view = (
            await slack.until(lambda: [v for v in slack.views if v["title"]["text"] == "Run again"])
        )[-1]
        bad = await slack.submit(view, {"seed": "one"})
        device = {"selected_option": {"value": "cpu"}}
        await slack.submit(view, {"seed": "7", "device": device, "cold": {"selected_options": []}})
        second = await slack.until(
            lambda: [c for c in slack.cards("C1", ts) if c is not card and buttons(c.blocks)]
        )
        again = (await bot.store.in_thread(kept.place))[-1]
        await slack.press(buttons(second[0].blocks)["Delete"], ts=second[0].ts)
        await slack.until(lambda: len(slack.cards("C1", ts)) == 1)

        await slack.press(press["Solved"], ts=card.ts)
        await slack.until(lambda: "(solved)" in card.text)
        said = await bot.store.feedback(kept.id)

        await slack.press(press["Delete"], ts=card.ts, user="U2")
        await slack.press(press["Delete"], ts=card.ts)
        await slack.until(lambda: not slack.cards("C1", ts))

        assert ("U1", "wrong", "The fix does not do what I need: the loss is still wrong") in said
        assert ("U1", "solved", "") in said and ("U1", "human", "") in said
        assert b"y = y + 1" in fixed["data"] and fixed["thread"] == ts
        given = [f["thread"] for f in slack.files.values() if f["name"] == "fixed.py"]
        assert given == [ts, case.ts]  # beside the card, and with the case
        assert "<@U1> asks for a human" in case.shown and "overwrites" in case.shown
        assert f"p{ts}" in case.shown and list(buttons(case.blocks)) == ["I take it", "Resolved"]
        assert bad["response_action"] == "errors"
        assert again.run_with.seed == 7 and again.run_with.device == "cpu"
        refused = [w for m, w in slack.calls if m == "response_url" and "moderator" in w["text"]]
        assert len(refused) == 1 and refused[0]["response_type"] == "ephemeral"
        gone = await bot.store.get(kept.id)
        assert gone is not None and gone.state == "deleted" and gone.text == ""


async def test_a_private_card_can_be_run_again_and_deleted(open_bot: Open):
    """Through the address of each click; its files go to the direct messages."""
    async with open_bot() as bot:
        slack = bot.slack
        id = await slack.command(PRINT.format("'out'"))
        posted = (await slack.until(lambda: slack.responses[id]))[-1]
        press = buttons(posted["blocks"])
        await slack.press(press["Full output"])
        file = (await slack.until(lambda: [f for f in slack.files.values() if f["channel"]]))[0]
        await slack.press(press["Run again…"])
        view = (await slack.until(lambda: slack.views))[-1]
        await slack.submit(view, {"seed": ""})
        await bot.service.idle()
        shown = [w["replace_original"] for m, w in slack.calls
                 if m == "response_url" and w.get("blocks")]  # fmt: skip
        gone = await slack.press(press["Delete"])
        await slack.until(lambda: {"delete_original"} <= set(str(slack.responses[gone]).split("'")))

        assert file["channel"] == "DU1" and file["data"] == b"out\n"
        assert shown == [True, False, False]  # Slack would replace the first card


async def test_figures_and_long_output_go_along(open_bot: Open):
    """Each figure with words for who cannot see it; the card keeps the output's last lines."""
    async with open_bot() as bot:
        code = (
            "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n"
            "for n in range(5000): print(f'step {n}')"
        )
        ts = await bot.slack.say(f"```\n{code}\n```", mention=True)
        card = await bot.slack.answer(ts, within_s=120)
        await bot.service.idle()
        files = {f["name"].rpartition(".")[2]: f for f in bot.slack.files.values()}

        assert "step 4999" in card.shown and "step 2500" not in card.shown
        assert b"step 2500\n" in files["txt"]["data"] and files["txt"]["thread"] == ts
        assert files["png"]["data"].startswith(b"\x89PNG") and files["png"]["thread"] == ts
        assert files["png"]["alt_txt"].startswith("Figure 1 of 1")


# -- faults ----------------------------------------------------------------------------------


async def test_a_second_delivery_changes_nothing(open_bot: Open):
    """Also after a restart: deliveries are kept in the store."""
    async with open_bot() as bot:
        ts = await bot.slack.say(PRINT.format(1), mention=True, copies=3)
        await bot.slack.answer(ts)
        message = bot.slack.messages["C1", ts]
    async with open_bot() as bot:
        event = {**message.json, "channel": "C1", "type": "app_mention"}
        await bot.slack._event(event)
        await bot.service.idle()

        assert len(bot.slack.cards()) == 1


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update"])
@pytest.mark.parametrize("kind", ["429", "500", "500 after", "drop after"])
async def test_one_card_whatever_slack_does(open_bot: Open, method: str, kind: str):
    """Rate limits, its own errors, answers that get lost: never two cards, never none."""
    async with open_bot() as bot:
        bot.slack.fail(method, kind, times=2)
        ts = await bot.slack.say(PRINT.format("'here'"), mention=True)
        card = await bot.slack.answer(ts)

        assert len(bot.slack.cards()) == 1 and "here" in card.shown


async def test_steps_leave_what_slack_takes_to_answers(open_bot: Open):
    """Six changes in four seconds and no more: four people's answers come, most steps do not."""
    async with open_bot() as bot:
        bot.slack.limits["chat.update"] = Limit(6, 4)
        slow = "```import time\nfor n in range(3):\n    time.sleep(0.5)\nprint('here')```"
        asked = [await bot.slack.say(slow, mention=True, user=f"U{n}") for n in range(4)]
        cards = [await bot.slack.answer(ts) for ts in asked]

        assert all("here" in card.shown for card in cards) and len(bot.slack.cards()) == 4
        steps = sum(len(card.versions) for card in cards)
        assert bot.slack.refused["chat.update"] <= len(asked) < steps


async def test_a_card_that_slack_refuses_is_said_in_words(open_bot: Open):
    """Never silence because of a block."""
    async with open_bot() as bot:
        bot.slack.fail("chat.update", "error:invalid_blocks")
        ts = await bot.slack.say(PRINT.format(1), mention=True)
        await bot.service.idle()
        (card,) = bot.slack.cards("C1", ts)

        assert card.text.startswith("○ Runs here") and "Solved" in buttons(card.blocks)
        assert {b["type"] for b in card.blocks} == {"section", "actions"}


async def test_words_in_place_of_a_refused_card_keep_the_fix(open_bot: Open):
    """Its code and what it changes, and the buttons."""
    async with open_bot() as bot:
        bot.slack.fail("chat.update", "error:invalid_blocks", times=3)
        ts = await bot.slack.say(IN_PLACE, mention=True)
        card = await bot.slack.until(
            lambda: next((c for c in bot.slack.cards("C1", ts) if "Fixed" in c.shown), None)
        )
        await bot.service.idle()

        assert "y = y + 1" in card.shown and "RuntimeError" in card.shown


async def test_a_card_whose_every_block_is_refused_is_said_in_words(open_bot: Open):
    """The text keeps what was printed."""
    async with open_bot() as bot:
        bot.slack.fail("chat.update", "error:invalid_blocks", times=2)
        ts = await bot.slack.say(PRINT.format("'inside'"), mention=True)
        await bot.service.idle()
        (card,) = bot.slack.cards("C1", ts)

        assert "```\ninside\n```" in card.text and not card.blocks


@pytest.mark.parametrize("kind", ["404", "500"])
async def test_a_response_url_that_is_used_up(open_bot: Open, kind: str):
    """The private answer goes to the direct messages, and never to the channel."""
    async with open_bot() as bot:
        bot.slack.fail("response_url", kind, times=6)
        await bot.slack.command(PRINT.format("'for you'"))
        card = (await bot.slack.until(lambda: bot.slack.cards("DU1")))[0]

        assert "for you" in card.shown and not bot.slack.cards("C1")


async def test_an_answer_that_may_not_be_posted_is_told_of(open_bot: Open):
    """The bot was thrown out of the channel meanwhile: the asker hears it in private."""
    async with open_bot() as bot:
        bot.slack.fail("chat.postMessage", "error:not_in_channel", times=2)
        await bot.slack.say(PRINT.format(1), mention=True)
        told = (await bot.slack.until(lambda: bot.slack.ephemeral))[0]
        await bot.service.idle()

        assert "may not post it there" in told["text"] and not bot.slack.cards()


async def test_a_monstrous_log_delays_nobodys_acknowledgement(open_bot: Open):
    """A MiB of brackets takes seconds to understand; others are served meanwhile."""
    async with open_bot() as bot:
        log = bot.slack.file("train.log", b"(" * 1024 * 1024)
        await bot.slack.say("why?", mention=True, files=[log])
        bot.slack.acks.clear()
        for n in range(20):
            await bot.slack.say(PRINT.format(n), mention=True, user=f"U{n + 2}")
            await asyncio.sleep(0.05)

        assert max(bot.slack.acks) < 3


@pytest.mark.parametrize("politely", [True, False])
async def test_a_lost_socket_loses_no_question(open_bot: Open, politely: bool):
    """Slack refreshes the connection, or it breaks: the answer comes, and so does the next."""
    async with open_bot() as bot:
        first = await bot.slack.say(PRINT.format("__import__('time').sleep(1)"), mention=True)
        await bot.slack.disconnect(politely=politely)
        await bot.slack.until(lambda: bot.slack.opened > 2)
        second = await bot.slack.say(PRINT.format(2), mention=True)
        await bot.slack.answer(first)
        await bot.slack.answer(second)

        assert len(bot.slack.cards()) == 2


class Away:
    """An executor that is gone for a while."""

    def __init__(self, executor: ExecutorClient, seconds: float) -> None:
        self._executor, self._back = executor, time.monotonic() + seconds

    async def run(self, job: Any, ahead: Any = None) -> Any:
        """Run a job, unless gone."""
        if time.monotonic() < self._back:
            raise ExecutorGoneError("the executor is not there; start it")
        return await self._executor.run(job, ahead)


async def test_an_executor_that_is_gone_for_ten_seconds(open_bot: Open, medic: Pipeline):
    """The asker sees why it takes so long, and gets one card."""
    away = replace(medic, executor=Away(medic.executor, 10))  # type: ignore[arg-type]
    async with open_bot(with_medic=away) as bot:
        ts = await bot.slack.say(PRINT.format("'back'"), mention=True)
        card = await bot.slack.answer(ts)

        assert "back" in card.shown and len(bot.slack.cards()) == 1
        assert any("does not answer yet" in v["text"] for v in card.versions)


async def test_an_executor_that_stays_away_is_told_of(open_bot: Open, medic: Pipeline):
    """Never silence: a card that says so, with a button to try again."""
    away = replace(medic, executor=Away(medic.executor, 1e6))  # type: ignore[arg-type]
    async with open_bot(ChatSettings(patience_s=0), with_medic=away) as bot:
        ts = await bot.slack.say(PRINT.format(1), mention=True)
        card = await bot.slack.answer(ts)

        assert card.text.startswith("! Could not run it") and "Run again…" in buttons(card.blocks)


async def test_the_welcome_needs_no_executor(open_bot: Open, medic: Pipeline):
    """It says what the bot does where nothing can be run."""
    away = replace(medic, executor=Away(medic.executor, 1e6))  # type: ignore[arg-type]
    async with open_bot(with_medic=away) as bot:
        ts = await bot.slack.say("hi", mention=True)

        await bot.slack.until(
            lambda: ["Try one" in c.shown for c in bot.slack.cards("C1", ts)] == [True]
        )


async def test_acknowledged_at_once_with_a_hundred_waiting(open_bot: Open):
    """Slots busy, a hundred in line: each is kept, acknowledged and told its place."""
    async with open_bot(ChatSettings(at_once=1)) as bot:
        slow = PRINT.format("__import__('time').sleep(60)")
        await bot.slack.say(slow, mention=True, user="U0")
        bot.slack.acks.clear()
        await asyncio.gather(
            *(bot.slack.say(slow, mention=True, user=f"U{n}") for n in range(1, 101))
        )
        id = await bot.slack.command(PRINT.format(1), user="U999")
        cards = await bot.slack.until(lambda: len(bot.slack.cards()) == 101 and bot.slack.cards())

        assert max(bot.slack.acks) < 3 and "ephemeral" in str(bot.slack.ack_bodies[id])
        assert sum("before yours" in c.text for c in cards) >= 99
        assert len(await still_open(bot.store)) == 102


# -- who may ----------------------------------------------------------------------------------


async def test_whoever_is_not_on_the_list_is_told_so_privately(open_bot: Open):
    """At every door; nothing runs and nothing is posted where others see it."""
    async with open_bot(users=("U1",), channels=("C1",)) as bot:
        await bot.slack.say(PRINT.format(1), mention=True, user="U2")
        await bot.slack.say(PRINT.format(1), mention=True, channel="C2")
        id = await bot.slack.command(PRINT.format(1), user="U2")
        await bot.slack.until(lambda: len(bot.slack.ephemeral) == 2)
        reasons = [e["text"] for e in bot.slack.ephemeral]

        assert "not on it" in reasons[0] and "this channel" in reasons[1]
        assert "not on it" in bot.slack.ack_bodies[id]["text"]
        assert not bot.slack.cards() and not await still_open(bot.store)


@pytest.mark.parametrize("how", ["wrong secret", "301 seconds old", "unsigned"])
async def test_an_unsigned_request_gets_nothing(open_bot: Open, how: str):
    """401, and nothing is kept."""
    async with open_bot(mode="http") as bot:
        raw = b"command=%2Ftorchmedic&text=print(1)&user_id=U1&channel_id=C1&team_id=T1"
        headers = {
            "wrong secret": signed(raw, secret="other"),
            "301 seconds old": signed(raw, at=int(time.time()) - 301),
            "unsigned": {},
        }[how] | {"Content-Type": "application/x-www-form-urlencoded"}
        async with aiohttp.ClientSession() as session:
            async with session.post(bot.slack.http_target, data=raw, headers=headers) as answer:
                assert answer.status == 401
                assert "print" not in await answer.text()
        assert not await still_open(bot.store)


async def test_a_forged_button_is_refused(open_bot: Open):
    """Another channel's button, an unknown question, a verb of one's own: a word, no more."""
    async with open_bot() as bot:
        ts = await bot.slack.say(PRINT.format("'secret'"), mention=True)
        await bot.slack.answer(ts)
        kept = await bot.kept(ts)
        calls = len(bot.slack.calls)
        elsewhere = await bot.slack.press(button_id("output", kept.id), channel="C66", user="U66")
        unknown = await bot.slack.press(button_id("delete", "0" * 16), user="U66")
        others = await bot.slack.press(button_id("again", kept.id), user="U66")
        await bot.slack.press("tm:explode:" + kept.id, user="U66")
        await bot.slack.press("tm:delete:' OR 1=1", user="U66")
        for id, words in (
            (elsewhere, "another message"),
            (unknown, "not keep"),
            (others, "for the person who asked"),
        ):
            got = await bot.slack.until(lambda id=id: bot.slack.responses[id])
            assert words in got[0]["text"] and got[0]["replace_original"] is False

        assert {m for m, _ in bot.slack.calls[calls:]} == {"response_url"}
        assert not bot.slack.files and not bot.slack.views


async def test_logs_hold_no_token_and_no_snippet(open_bot: Open, caplog: pytest.LogCaptureFixture):
    """At info level, through a whole conversation and its faults."""
    caplog.set_level(logging.INFO)
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger().addHandler(handler)
    try:
        async with open_bot() as bot:
            bot.slack.fail("chat.postMessage", "500", times=1)
            ts = await bot.slack.say(PRINT.format("'sn1ppet-w0rd'"), mention=True)
            await bot.slack.answer(ts)
            await bot.slack.command(PRINT.format("'sn1ppet-w0rd'"))
            await bot.service.idle()
    finally:
        logging.getLogger().removeHandler(handler)
    logged = stream.getvalue() + caplog.text

    assert "question" in logged
    assert not [w for w in (BOT_TOKEN, APP_TOKEN, SECRET, "sn1ppet-w0rd") if w in logged]


def test_what_is_missing_is_named_one_by_one():
    """With where to get it; a token is never printed."""
    with pytest.raises(SettingsError, match=r"SLACK_BOT_TOKEN \(.*SLACK_APP_TOKEN \("):
        slack_tokens("socket", {})
    with pytest.raises(SettingsError) as refused:
        slack_tokens("http", {"SLACK_BOT_TOKEN": "xoxb-1"})
    assert "SLACK_SIGNING_SECRET" in str(refused.value) and "BOT_TOKEN" not in str(refused.value)
    assert "xoxb" not in repr(
        slack_tokens("socket", dict.fromkeys(("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"), "xoxb-1"))
    )
