"""bot/platforms/discord/app.py: every door and button, with the real discord.py and executor."""

from __future__ import annotations

import asyncio
import logging

import pytest

from bot.errors import SettingsError
from bot.platforms.discord.app import DiscordFront
from bot.platforms.discord.settings import DiscordSettings
from bot.service.questions import QuestionService
from bot.settings import ChatSettings, Secret, SupportChannel
from tests.bot.fakes.discord import (
    CONTENT,
    FORUM,
    MANAGE_MESSAGES,
    Json,
    buttons,
    shown_files,
    text_of,
    walk,
)
from tests.bot.platforms.on_discord import BROKEN, PRINT, World, asked, run_again

# -- doors ---------------------------------------------------------------------------------------


async def test_a_mention_becomes_a_thread_with_one_card(world: World):
    """A sign of life at once, then one message that turns into the answer."""
    async with world.bot():
        message = await world.fake.post(world.maya, world.help, f"{world.me} {BROKEN}")
        card = await world.card()

    (thread,) = world.fake.threads(world.help)
    history = [text_of(m) for m in world.fake.histories[card["id"]]]
    assert thread.id == message["id"] == card["channel_id"]
    assert thread.name == "why does backward fail?"
    assert "⏳" in history[0] and "line 4 overwrites" in history[-1]
    assert "ran, and it passes" in history[-1] and "y = x.exp()\ny = y + 1\nprint" in history[-1]
    assert world.fake.typing == [world.help.id]
    assert not card["mention_everyone"] and card["mentions"] == []


async def test_without_the_right_to_make_threads_it_replies(world: World):
    """The card stands under the question, and names its asker."""
    world.help.no_threads = True
    async with world.bot():
        message = await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        card = await world.card()

    assert card["channel_id"] == world.help.id
    assert card["message_reference"]["message_id"] == message["id"]
    assert "42" in text_of(card)


async def test_an_attached_script_is_run(world: World):
    """A .py file is the code; the traceback's lines are the file's."""
    script = b"import torch\nlayer = torch.nn.Linear(4, 2)\nlayer(torch.ones(3, 5))\n"
    async with world.bot():
        await world.fake.post(
            world.maya, world.help, f"{world.me} this fails", (("train.py", script),)
        )
        card = await world.card()

    assert "RuntimeError at line 3" in text_of(card)


async def test_a_mention_under_somebodys_message_asks_about_that_message(world: World):
    """With message content allowed, the message replied to is the question."""
    async with world.bot(message_content=True):
        question = await world.fake.post(world.otto, world.help, BROKEN)
        await world.fake.post(world.maya, world.help, f"{world.me} look", reply_to=question)
        card = await world.card()

    assert "line 4 overwrites" in text_of(card)


async def test_a_message_that_we_are_not_shown_leads_to_the_menu(world: World):
    """Without message content Discord hides it: the asker learns privately what works."""
    async with world.bot():
        question = await world.fake.post(world.otto, world.help, BROKEN)
        await world.fake.post(world.maya, world.help, world.me, reply_to=question)
        await world.fake.until(lambda: world.words())

    assert "Diagnose this message" in world.words()[0]
    assert not world.cards() and not world.fake.by_bot(world.help)
    assert world.fake.by_bot(world.fake.direct(world.maya))


async def test_a_direct_message_needs_no_mention_and_an_edit_runs_again(world: World):
    """The same card shows the new answer; a preview that Discord adds changes nothing."""
    async with world.bot() as bot:
        direct = world.fake.direct(world.maya)
        message = await world.fake.post(world.maya, direct, PRINT)
        card = await world.card()
        await bot.service.idle()
        runs = len(world.fake.histories[card["id"]])
        await world.fake.unfurl(message)
        await world.fake.edit(message, PRINT.replace("7", "8"))
        again = await world.card(has="48")

    assert again["id"] == card["id"]
    assert "42" in text_of(world.fake.histories[card["id"]][runs - 1])


async def test_an_edited_mention_runs_again_in_place(world: World):
    """Also where the mention was forgotten at first."""
    async with world.bot() as bot:
        message = await world.fake.post(world.maya, world.help, PRINT)
        await world.fake.edit(message, f"{world.me} {PRINT}")
        card = await world.card()
        await bot.service.idle()
        await world.fake.edit(message, f"{world.me} {PRINT.replace('7', '9')}")
        again = await world.card(has="54")

    assert again["id"] == card["id"]


async def test_the_slash_command_answers_its_asker_alone(world: World):
    """Acknowledged at once and answered in the same private message."""
    async with world.bot():
        it = await world.fake.slash(world.maya, world.help, question=BROKEN)
        card = await world.card()

    assert it.answered == 5 and it.ephemeral and it.ack_s < 3
    assert card["id"] == it.original and "line 4 overwrites" in text_of(card)


async def test_the_slash_command_can_answer_everybody(world: World):
    """`public` makes it a message like any other."""
    async with world.bot():
        it = await world.fake.slash(world.maya, world.help, question=PRINT, public=True)
        card = await world.card()

    assert not it.ephemeral and card["id"] == it.original and not card["flags"] & 64


async def test_the_slash_command_takes_a_file(world: World):
    """A script or a log."""
    async with world.bot():
        await world.fake.slash(world.maya, world.help, (("a.py", b"print('from a file')\n"),))
        card = await world.card()

    assert "from a file" in text_of(card)


async def test_the_form_runs_what_is_typed(world: World):
    """Code of several lines goes into a form, as it is."""
    async with world.bot():
        welcome = await world.fake.slash(world.maya, world.help)
        shown = await world.fake.until(lambda: world.fake.response(welcome))
        it = await world.fake.click(world.maya, shown, "Paste code")
        await world.fake.until(lambda: it.modal)
        await world.fake.submit(it, code="for i in range(3):\n    print(i * 14)", question="what?")
        card = await world.card()

    assert "28" in text_of(card) and card["flags"] & 64


async def test_diagnose_this_message_works_without_any_intent(world: World):
    """Right-click on somebody's message: the answer is for who clicked."""
    async with world.bot():
        message = await world.fake.post(world.otto, world.help, BROKEN)
        it = await world.fake.menu(world.maya, message, "Diagnose this message")
        card = await world.card()

    assert it.ephemeral and "line 4 overwrites" in text_of(card)


async def test_a_person_can_bring_the_bot_to_a_server_without_it(world: World):
    """User install: the bot is no member there, and answers through the interaction alone."""
    place = world.fake.elsewhere("far-away")
    async with world.bot() as bot:
        message = await world.fake.post(world.otto, place, PRINT)
        await world.fake.menu(world.maya, message, "Diagnose this message")
        card = await world.card(place)
        second = await run_again(world, bot, card, seed="3")

    assert second["flags"] & 64 and "42" in text_of(card) and "42" in text_of(second)


async def test_a_support_channel_is_answered_unasked_but_only_when_sure(world: World):
    """Code with a mistake gets one card; small talk, and code that runs, get nothing."""
    support = {world.help.id: SupportChannel()}
    async with world.bot(message_content=True, support=support) as bot:
        await world.fake.post(world.otto, world.help, "hello everybody, how are you?")
        await world.fake.post(world.otto, world.help, PRINT)
        await world.fake.post(world.maya, world.help, BROKEN)
        card = await world.card()
        await bot.service.idle()

    assert "line 4 overwrites" in text_of(card)
    assert all("⏳" not in text_of(m) for m in world.fake.histories[card["id"]])


async def test_a_forums_post_is_answered_inside_it(world: World):
    """The post's first message is the question, its thread the place."""
    forum = world.fake.channel("questions", FORUM)
    support = {forum.id: SupportChannel()}
    async with world.bot(message_content=True, support=support):
        thread = await world.fake.forum_post(world.maya, forum, "backward fails", BROKEN)
        card = await world.card()

    assert card["channel_id"] == thread.id


async def test_a_forums_post_is_its_askers_thread(world: World):
    """Follow-ups need no mention there; others are left alone, and the team's word ends it."""
    lead = world.fake.person("lead")
    forum = world.fake.channel("questions", FORUM)
    support = {forum.id: SupportChannel(team=(lead.id,))}
    async with world.bot(message_content=True, support=support) as bot:
        thread = await world.fake.forum_post(world.maya, forum, "backward fails", BROKEN)
        await world.card()
        await world.fake.post(world.otto, thread, PRINT)
        await world.fake.post(world.maya, thread, PRINT)
        await world.fake.until(lambda: len(world.cards(thread)) == 2)
        await world.fake.post(lead, thread, "which version is that?")
        await asyncio.sleep(0.5)  # events are worked on side by side
        await world.fake.post(world.maya, thread, "what if I print it twice?")
        await asyncio.sleep(0.5)
        await bot.service.idle()

    assert len(world.cards()) == 2


async def test_silent_once_the_team_has_spoken(world: World):
    """A person of the team answers first: no unasked card in that thread."""
    lead = world.fake.person("lead")
    forum = world.fake.channel("questions", FORUM)
    support = {forum.id: SupportChannel(team=(lead.id,))}
    async with world.bot(message_content=True, support=support) as bot:
        thread = await world.fake.forum_post(world.maya, forum, "broken", "it is broken, help")
        await world.fake.post(lead, thread, "let me look at that")
        await world.fake.post(world.maya, thread, BROKEN)
        await asyncio.sleep(0.5)
        await bot.service.idle()

    assert not world.cards()


async def test_a_follow_up_in_our_thread_needs_no_mention(world: World):
    """From the asker, about the code from before; others are left alone, and so are thanks."""
    said = world.fake.by_bot
    async with world.bot(message_content=True) as bot:
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await world.card()
        await bot.service.idle()
        (thread,) = world.fake.threads(world.help)
        await world.fake.post(world.otto, thread, PRINT)
        await world.fake.post(world.maya, thread, "thanks, that works!")
        await world.fake.post(world.maya, thread, "and what does it print?")
        await world.fake.until(lambda: any("it printed" in text_of(m) for m in said(thread)))
        await bot.service.idle()

    assert len(said(thread)) == 2
    assert all("42" in text_of(c) for c in said(thread))


async def test_a_reply_to_a_card_in_the_channel_is_a_follow_up(world: World):
    """Where there are no threads, a reply to the card carries the conversation on."""
    world.help.no_threads = True
    async with world.bot(message_content=True) as bot:
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        card = await world.card()
        await bot.service.idle()
        await world.fake.post(world.maya, world.help, "what does it print?", reply_to=card)
        await world.fake.until(lambda: any("it printed" in text_of(m) for m in world.fake.by_bot()))
        await bot.service.idle()

    assert len(world.fake.by_bot()) == 2
    assert all("42" in text_of(c) for c in world.fake.by_bot())


async def test_in_a_thread_of_others_only_a_mention_or_a_reply_is_for_us(world: World):
    """Once asked there, it does not answer everything that its asker then says to people."""
    async with world.bot(message_content=True) as bot:
        thread = await world.fake.thread(world.otto, world.help, "what do you think?")
        await world.fake.post(world.maya, thread, f"{world.me} {PRINT}")
        card = await world.card()
        await bot.service.idle()
        await world.fake.post(world.maya, thread, PRINT)
        it = await world.fake.slash(world.otto, thread, question=PRINT)
        await world.fake.until(lambda: "42" in text_of(world.fake.response(it) or {}))
        await world.fake.post(world.otto, thread, PRINT)
        await world.fake.post(world.maya, thread, "and what does it print?", reply_to=card)
        await world.fake.until(lambda: any("it printed" in text_of(m) for m in world.fake.by_bot()))
        await bot.service.idle()

    assert len(world.fake.by_bot()) == 3  # the mention, the private command, the reply


async def test_what_cannot_be_kept_is_said_so(world: World):
    """A broken store: never silence, in whichever door."""
    async with world.bot():
        async with world.store.database.engine.begin() as db:
            await db.exec_driver_sql("DROP TABLE questions")
        await world.fake.post(world.maya, world.fake.direct(world.maya), PRINT)
        await world.fake.until(lambda: len(world.words()) == 1)
        it = await world.fake.slash(world.maya, world.help, question=PRINT)
        await world.fake.until(lambda: "database" in text_of(world.fake.response(it) or {}))

    assert all("ask again" in w for w in world.words())


async def test_bots_and_our_own_messages_are_never_questions(world: World):
    """No two bots talk to each other all night."""
    other = world.fake.person("other-bot")
    other.bot = True
    async with world.bot() as bot:
        await world.fake.post(other, world.help, f"{world.me} {PRINT}")
        await world.fake.post(world.maya, world.help, f"{world.me} {PRINT}")
        await world.card()
        await bot.service.idle()

    assert len(world.cards()) == 1


# -- manners -------------------------------------------------------------------------------------


async def test_who_is_not_on_the_list_is_told_so_privately(world: World):
    """Every door, one reason, and nothing is run."""
    async with world.bot(users=(world.maya.id,)):
        await world.fake.post(world.otto, world.help, f"{world.me} {PRINT}")
        await world.fake.until(lambda: world.fake.by_bot(world.fake.direct(world.otto)))
        it = await world.fake.slash(world.otto, world.help, question=PRINT, public=True)
        await world.fake.until(lambda: "not on it" in text_of(world.fake.response(it) or {}))

    assert it.ephemeral and not world.cards()
    assert all("not on it" in w for w in world.words())
    assert not [m for m in world.fake.by_bot(world.help) if not m["flags"] & 64]


async def test_where_it_may_not_answer_it_says_so_before_a_form_opens(world: World):
    """A list of channels; direct messages always work, commands in them as well."""
    async with world.bot(channels=(world.help.id,)) as bot:
        other = world.fake.channel("random")
        it = await world.fake.slash(world.maya, other)
        await world.fake.until(lambda: it.answered)
        assert "direct message" in text_of(world.fake.response(it) or {})
        await world.fake.slash(world.maya, world.fake.direct(world.maya), question=PRINT)
        await world.card()
        await bot.service.idle()


# -- buttons -------------------------------------------------------------------------------------


async def test_solved_is_shown_on_the_card(world: World):
    """It is kept, and the button goes."""
    async with world.bot() as bot:
        card = await asked(world, bot)
        await world.fake.click(world.maya, card, "Solved")
        await world.fake.until(lambda: "solved" in text_of(card))
        await world.fake.until(lambda: world.words())

    assert "Solved" not in [b["label"] for b in buttons(card)]
    assert len(world.cards()) == 1


async def test_wrong_asks_why_and_keeps_it(world: World):
    """One line, kept with the question."""
    async with world.bot() as bot:
        card = await asked(world, bot)
        form = await world.fake.click(world.maya, card, "Not right")
        await world.fake.until(lambda: form.modal)
        await world.fake.submit(form, kind="cause", words="gamma was meant to learn")
        await world.fake.until(lambda: world.words())
    question = buttons(card)[0]["custom_id"].split(":")[2]

    assert await world.store.feedback(question) == [
        (world.maya.id, "wrong", "The cause is another one: gamma was meant to learn")
    ]


async def test_run_again_runs_as_chosen_in_a_card_of_its_own(world: World):
    """Device, seed and interpreter come from the form; the first card stays."""
    async with world.bot() as bot:
        card = await asked(world, bot, "```python\nimport torch\nprint(torch.initial_seed())\n```")
        second = await run_again(world, bot, card, device="cpu", seed="1234")
        assert "1234" in text_of(second) and "1234" not in text_of(card)
        third = await run_again(world, bot, second, start="cold")
        assert "Printed" in text_of(third)

    assert {m["channel_id"] for m in world.cards()} == {card["channel_id"]}


async def test_ask_a_human_brings_the_case_to_people(world: World):
    """To a channel and to a person: the question, what was said, where it was asked; no ping."""
    lead, room = world.fake.person("lead"), world.fake.channel("maintainers")
    async with world.bot(humans=(room.id, lead.id)) as bot:
        card = await asked(world, bot)
        await world.fake.click(world.maya, card, "Ask a human")
        await world.fake.until(lambda: any("brought your case" in w for w in world.words()))
    case, files = world.fake.by_bot(room)
    direct, _ = world.fake.by_bot(world.fake.direct(lead))
    assert {a["filename"] for a in files["attachments"]} == {"fixed.py", "output.txt"}

    for message in (case, direct):
        text = text_of(message)
        assert "y += 1" in text and "line 4 overwrites" in text
        assert f"/channels/{world.fake.guild_id}/{card['channel_id']}" in text
        assert message["mentions"] == [] and not message["mention_everyone"]


async def test_full_output_and_fixed_file_are_files(world: World):
    """The asker gets them beside the card, somebody else in private."""
    async with world.bot() as bot:
        card = await asked(world, bot)
        for person, hidden in ((world.maya, 0), (world.otto, 64)):
            for label, name, holds in (
                ("Full output", "output.txt", b"so far"),
                ("Fixed file", "fixed.py", b"y = y + 1"),
            ):
                await world.fake.click(person, card, label)

                def handed(name: str = name, hidden: int = hidden) -> list[Json]:
                    return [
                        a
                        for m in world.fake.by_bot()
                        if m["flags"] & 64 == hidden
                        for a in m["attachments"]
                        if a["filename"] == name
                    ]

                (file,) = await world.fake.until(handed)
                assert holds in world.fake.files[file["id"]]


async def test_only_the_asker_and_moderators_can_delete(world: World):
    """Others are told kindly; the card goes, and the thread stays."""
    async with world.bot() as bot:
        card = await asked(world, bot)
        it = await world.fake.click(world.otto, card, "Delete")
        await world.fake.until(lambda: any("moderator" in w for w in world.words()))
        assert it.answered == 6 and card["id"] not in world.fake.deleted
        boss = world.fake.person("boss", MANAGE_MESSAGES)
        await world.fake.click(boss, card, "Delete")
        await world.fake.until(lambda: card["id"] in world.fake.deleted)


@pytest.mark.parametrize("label", ["Solved", "Not right", "Run again", "Ask a human"])
async def test_a_button_that_is_not_yours_says_so_kindly(world: World, label: str):
    """Privately, before any form opens, and nothing changes."""
    async with world.bot() as bot:
        card = await asked(world, bot, PRINT)
        states = len(world.fake.histories[card["id"]])
        it = await world.fake.click(world.otto, card, label)
        await world.fake.until(lambda: any("person who asked" in w for w in world.words()))

    assert it.modal is None and len(world.fake.histories[card["id"]]) == states
    assert all(m["flags"] & 64 for m in world.fake.by_bot() if m["id"] != card["id"])


async def test_a_forged_button_gets_nothing(world: World):
    """Ids of no question, of no verb, and of another place."""
    async with world.bot() as bot:
        card = await asked(world, bot, PRINT)
        question = buttons(card)[0]["custom_id"].split(":")[2]
        elsewhere = world.fake.channel("elsewhere")
        other = await world.fake.post(world.otto, elsewhere, "nothing")
        for message, custom_id in (
            (card, "tm:delete:0123456789abcdef"),
            (other, f"tm:output:{question}"),
            (card, f"tm:nonsense:{question}"),
            (card, "tm:delete:'; drop table questions"),
        ):
            await world.fake.press(world.otto, message, custom_id)
        await world.fake.until(lambda: len(world.words()) == 2)

    assert {w.split(".")[0] for w in world.words()} == {
        "I do not keep this question any more",
        "This button belongs to another message",
    }
    assert card["id"] not in world.fake.deleted


async def test_buttons_of_a_private_card_work_in_place(world: World):
    """Solved and run again change it through the click's own address, delete takes it away."""
    async with world.bot() as bot:
        await world.fake.slash(world.maya, world.help, question=PRINT)
        card = await world.card()
        await bot.service.idle()
        world.fake.expire()  # the command's own token is worth nothing any more
        second = await run_again(world, bot, card, seed="5")
        assert second["flags"] & 64 and "42" in text_of(second)
        await world.fake.click(world.maya, second, "Delete")
        await world.fake.until(lambda: second["id"] in world.fake.deleted)
        await world.fake.click(world.maya, card, "Solved")
        await world.fake.until(lambda: "solved" in text_of(card))
        await world.fake.click(world.maya, card, "Delete")
        await world.fake.until(lambda: card["id"] in world.fake.deleted)

    assert not world.cards()


# -- what a stranger prints ----------------------------------------------------------------------


@pytest.mark.parametrize("cards", ["components", "embeds"])
async def test_hostile_output_pings_nobody_and_is_a_valid_card(world: World, cards: str):
    """Mentions, fences, emoji, turned text, and more output than any message holds."""
    code = (
        "print('x' * 200 * 1024)\n"
        "for i in range(200): print('🔥🚀' * 9, i)\n"
        f"print('@everyone @here <@{world.otto.id}> <@&1>', chr(96) * 3, chr(0x202e), 'end')\n"
    )
    async with world.bot(cards=cards):
        await world.fake.post(world.maya, world.help, f"{world.me}\n```python\n{code}```")
        card = await world.card()

    assert not card["mention_everyone"] and card["mentions"] == []
    assert "end" in text_of(card) and "@everyone" not in text_of(card)
    (file,) = shown_files(card)
    assert file["filename"] == "output.txt" and file["size"] > 10_000


async def test_figures_are_shown_with_words(world: World):
    """A plot left open comes back as a picture in the card."""
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\n"
    async with world.bot():
        await world.fake.post(world.maya, world.help, f"{world.me}\n```python\n{code}```")
        card = await world.card()
    (gallery,) = [c for c in walk(card["components"]) if c["type"] == 12]

    assert [f["filename"] for f in shown_files(card)] == ["figure-1.png"]
    assert "that the snippet drew" in gallery["items"][0]["description"]


# -- starting ------------------------------------------------------------------------------------


async def test_only_the_intents_it_needs(world: World):
    """Servers, messages in them and direct ones; content only if it is asked for."""
    async with world.bot() as bot:
        (session,) = world.fake.sessions.values()
        assert session.intents == 0x1201
    assert any("Message Content Intent" in line for line in bot.said)
    links = [line for line in bot.said if "oauth2/authorize" in line]
    assert "integration_type=0&scope=bot+applications.commands&permissions=309237746688" in links[0]
    assert links[1].endswith("integration_type=1&scope=applications.commands")
    async with world.bot(message_content=True) as bot:
        (session,) = world.fake.sessions.values()
        assert session.intents == 0x1201 | CONTENT
    assert not any("Message Content Intent" in line for line in bot.said)


async def test_a_missing_switch_is_named(world: World):
    """Close code 4014 becomes the one thing to do."""
    front = DiscordSettings(
        api_url=world.fake.api_url, gateway_url=world.fake.gateway_url, message_content=True
    )
    async with DiscordFront(front, Secret(world.fake.token), lambda _: None) as door:
        async with QuestionService(
            world.medic, world.store, door.platform, ChatSettings(), front
        ) as service:
            with pytest.raises(SettingsError, match="turn on “Message Content Intent”"):
                await door.serve(service)
    assert world.fake.closed_with == [4014]


async def test_a_wrong_token_says_where_to_get_one(world: World):
    """And does not show the wrong one."""
    front = DiscordSettings(api_url=world.fake.api_url, gateway_url=world.fake.gateway_url)
    with pytest.raises(SettingsError, match="Reset Token") as refused:
        async with DiscordFront(front, Secret("wrong-token"), lambda _: None):
            pass
    assert "wrong-token" not in str(refused.value)


async def test_logs_hold_no_token_and_no_snippet(world: World, caplog: pytest.LogCaptureFixture):
    """Not at info level, whatever happens."""
    with caplog.at_level(logging.INFO):
        async with world.bot() as bot:
            await asked(
                world, bot, "```python\nsecret_name = 'my snippet'\nprint(secret_name)\n```"
            )
            it = await world.fake.slash(world.maya, world.help, question="print('my snippet')")
            await world.fake.until(lambda: it.original)
            await bot.service.idle()
    text = caplog.text

    assert "question" in text
    for secret in (world.fake.token, "my snippet", "secret_name", it.token):
        assert secret not in text
