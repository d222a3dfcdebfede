"""The first day in a channel: the welcome, what a mention is about, files, cards, people."""

from __future__ import annotations

import io
import zipfile

from bot.service.welcome import PROMPTS
from tests.bot.fakes.discord import FORUM, buttons, text_of
from tests.bot.fakes.slack import buttons as slack_buttons
from tests.bot.platforms.on_discord import PRINT as DISCORD_PRINT
from tests.bot.platforms.on_discord import World, asked
from tests.bot.platforms.on_slack import IN_PLACE, PRINT, Open

# -- the welcome -----------------------------------------------------------------------------


async def test_a_newcomer_in_slack_is_welcomed(open_bot: Open):
    """`hi`, an empty command, the open conversation, a new channel; each prompt is one click."""
    async with open_bot() as bot:
        slack = bot.slack
        hi = await slack.say("hi there!", channel="D1")
        direct = await slack.until(
            lambda: next((c for c in slack.cards("D1", hi) if "Try one" in c.shown), None)
        )
        id = await slack.command("")
        joined = {"type": "member_joined_channel", "user": "UBOT", "channel": "C7"}
        await slack._event(joined)
        await slack.until(lambda: slack.cards("C7"))
        opened = {"type": "app_home_opened", "user": "U5", "channel": "D5", "tab": "messages"}
        await slack._event(opened)
        await slack._event(opened)
        await slack.until(lambda: slack.cards("D5"))
        await bot.service.idle()
        labels = [*(p.label for p in PROMPTS), "Paste code…"]

        assert "Try one" in slack.ack_bodies[id]["text"]
        assert list(slack_buttons(slack.ack_bodies[id]["blocks"])) == labels
        assert list(slack_buttons(direct.blocks)) == labels
        assert len(slack.cards("C7")) == len(slack.cards("D5")) == 1

        pressed = await slack.press("tm:prompt:0", channel="D1", ts=direct.ts)
        answer = await slack.until(
            lambda: [r for r in slack.responses[pressed] if "Fixed" in r["text"]]
        )
        assert "y = y + 1" in str(answer[0]["blocks"]) and not answer[0]["replace_original"]


async def test_the_home_in_slack_shows_the_last_questions(open_bot: Open):
    """With their status, the prompts, and what holds here; nobody else's."""
    async with open_bot() as bot:
        ts = await bot.slack.say(IN_PLACE, mention=True)
        await bot.slack.answer(ts)
        await bot.slack.say(PRINT.format("'not yours'"), mention=True, user="U2")
        await bot.service.idle()
        await bot.slack._event({"type": "app_home_opened", "user": "U1", "tab": "home"})
        view = (await bot.slack.until(lambda: bot.slack.homes))["U1"]

        assert "✔ Fixed" in str(view) and "why?" in str(view) and "not yours" not in str(view)
        assert PROMPTS[0].label in str(view) and "Questions and answers are kept" in str(view)


async def test_a_newcomer_in_discord_is_welcomed(world: World):
    """The same; and the welcome needs no executor."""
    async with world.bot() as bot:
        direct = world.fake.direct(world.maya)
        await world.fake.post(world.maya, direct, "hello!")
        await world.fake.until(
            lambda: any("Try one" in w for w in map(text_of, world.fake.by_bot()))
        )
        it = await world.fake.slash(world.maya, world.help)
        shown = await world.fake.until(lambda: world.fake.response(it))
        assert it.ephemeral and "Try one" in text_of(shown)
        await world.fake.join_again()
        await world.fake.until(lambda: world.fake.by_bot(world.help))
        pressed = await world.fake.click(world.maya, shown, PROMPTS[2].label)
        await world.fake.until(lambda: "torch.topk" in text_of(world.fake.response(pressed) or {}))
        await bot.service.idle()

    assert [b["label"] for b in buttons(shown)] == [*(p.label for p in PROMPTS), "Paste code…"]


# -- what a mention is about -----------------------------------------------------------------


async def test_a_mention_in_slack_finds_the_code_above(open_bot: Open):
    """One's own first; what another wrote only with a word on whose it is."""
    async with open_bot() as bot:
        await bot.slack.say(PRINT.format("'of another'"), user="U2")
        await bot.slack.say(PRINT.format("'mine'"))
        first = await bot.slack.say("why does this not work?", mention=True)
        mine = await bot.slack.answer(first)
        root = await bot.slack.say(PRINT.format("'the root'"), user="U2", channel="C2")
        await bot.slack.say(PRINT.format("'a reply'"), user="U3", channel="C2", thread=root)
        await bot.slack.say("what is wrong here?", mention=True, channel="C2", thread=root)
        theirs = await bot.slack.answer(root, "C2")
        alone = await bot.slack.say("how do I get the k largest values of a tensor?", mention=True)
        how_to = await bot.slack.answer(alone)

        assert "mine" in mine.shown and "your code, from a message above" in mine.shown
        assert "the root" in theirs.shown and "a reply" not in theirs.shown
        assert "somebody else's code, from the thread's first message" in theirs.shown
        assert "torch.topk" in how_to.shown and "mine" not in how_to.shown


async def test_strangers_code_is_left_alone_in_slack_unless_one_points_at_it(open_bot: Open):
    """A greeting, and trouble of one's own, are about nobody else's; thanks get no card."""
    async with open_bot() as bot:
        await bot.slack.say(PRINT.format("'of another'"), user="U2")
        cards = []
        for words in ("hi", "help!", "my training is slow", "why does this fail?"):
            ts = await bot.slack.say(words, mention=True)
            cards.append(await bot.slack.until(lambda ts=ts: bot.slack.cards("C1", ts)))
            await bot.service.idle()
        thanks = await bot.slack.say("thanks a lot!", mention=True)
        await bot.service.idle()
        hi, helped, slow, this = (card[0].shown for card in cards)

        assert "Try one" in hi and "Try one" in helped
        assert "of another" in this and not any("of another" in c for c in (hi, helped, slow))
        assert not bot.slack.cards("C1", thanks)


async def test_without_the_scope_the_card_in_slack_says_what_it_could_not_read(open_bot: Open):
    """No guess, and no code of anybody."""
    async with open_bot() as bot:
        bot.slack.scopes_missing.add("conversations.history")
        await bot.slack.say(PRINT.format("'above'"))
        ts = await bot.slack.say("why does this fail?", mention=True)
        card = await bot.slack.answer(ts)
        bare = await bot.slack.say("", mention=True)
        told = await bot.slack.until(lambda: bot.slack.cards("C1", bare))
        await bot.service.idle()

        assert "could not read the messages above" in card.shown and "missing_scope" in card.shown
        assert "could not read the messages above" in told[0].shown


async def test_a_forwarded_message_in_slack_is_read(open_bot: Open):
    """What is shared with the mention, and what is shared above it, with its author's name."""
    async with open_bot() as bot:
        shared = {
            "is_share": True, "author_id": "U9", "author_name": "Otto",
            "text": PRINT.format("'forwarded'"),
        }  # fmt: skip
        first = await bot.slack.say("look", mention=True, forwarded=[shared])
        inside = await bot.slack.answer(first)
        await bot.slack.say("", channel="C2", forwarded=[shared])
        second = await bot.slack.say("why does that fail?", mention=True, channel="C2")
        above = await bot.slack.answer(second, "C2")

        assert "forwarded" in inside.shown
        assert "forwarded" in above.shown and "Otto's code" in above.shown


async def test_a_mention_in_discord_finds_the_code_above(world: World):
    """One's own above, the message replied to, and a thread's starter."""
    async with world.bot(message_content=True) as bot:
        await world.fake.post(world.otto, world.help, "```python\nprint('of otto')\n```")
        await world.fake.post(world.maya, world.help, "```python\nprint('of maya')\n```")
        await world.fake.post(world.maya, world.help, f"{world.me} why does this fail?")
        card = await world.card()
        await bot.service.idle()
        assert "of maya" in text_of(card) and "your code, from a message above" in text_of(card)

        room = world.fake.channel("other", FORUM)
        thread = await world.fake.forum_post(
            world.otto, room, "help", "```python\nprint('started')\n```"
        )
        await world.fake.post(world.maya, thread, f"{world.me} what is wrong here?")
        card = await world.card(thread)
        assert "started" in text_of(card)
        assert "otto's code, from the thread's first message" in text_of(card)


async def test_a_forwarded_message_in_discord_is_read(world: World):
    """Above a mention, and sent to the bot directly; Discord does not say who wrote it."""
    code = await world.fake.post(world.otto, world.help, "```python\nprint('forwarded')\n```")
    async with world.bot(message_content=True) as bot:
        room = world.fake.channel("other")
        await world.fake.post(world.otto, room, "", forwarded=code)
        await world.fake.post(world.maya, room, f"{world.me} why does this fail?")
        card = await world.card()
        await bot.service.idle()
        direct = world.fake.direct(world.maya)
        await world.fake.post(world.maya, direct, "", forwarded=code)
        told = await world.card(direct)

    assert "this is about the code that otto forwarded" in text_of(card)
    assert "forwarded" in text_of(told)


async def test_without_message_content_the_card_in_discord_says_so(world: World):
    """Discord blanks what others wrote; nobody's code is guessed."""
    async with world.bot():
        await world.fake.post(world.maya, world.help, DISCORD_PRINT)
        await world.fake.post(world.maya, world.help, f"{world.me} why does this fail?")
        await world.fake.until(
            lambda: any("could not read every message" in text_of(c) for c in world.cards())
        )


# -- follow-ups ------------------------------------------------------------------------------


async def test_a_conversation_in_slack(open_bot: Open):
    """Small edits with the change shown, questions about it, and never the same card twice."""
    code = (
        "import torch\nbatch_size = 4\nlayer = torch.nn.Linear(3, 2)\n"
        "print(layer(torch.ones(batch_size, 3)).shape)"
    )
    async with open_bot() as bot:
        ts = await bot.slack.say(f"what comes out?\n```\n{code}\n```", mention=True)
        await bot.slack.answer(ts)

        async def then(text: str) -> str:
            before = len(bot.slack.cards("C1", ts))
            await bot.slack.say(text, thread=ts)
            await bot.slack.until(lambda: len(bot.slack.cards("C1", ts)) > before)
            await bot.service.idle()
            return bot.slack.cards("C1", ts)[-1].shown

        edited = await then("what about batch size 1?")
        dtype = await then("try again with torch.float64")
        gpu = await then("on GPU")
        unknown = await then("hmm, and does it work for everybody?")
        same = await then("on the cpu then")
        why = await then("why?")

        assert "torch.Size([1, 2])" in edited
        assert "`batch_size = 1` instead of `batch_size = 4`" in edited.replace("\n", "`")
        assert "set_default_dtype(torch.float64)" in dtype
        assert "no GPU where I run code" in gpu
        assert "I do not know what to change" in unknown and "With a follow-up I can" in unknown
        assert "It is the same as above (on the CPU): it runs and prints the same." in same
        assert "I know no more about it" in why


async def test_a_new_error_with_the_old_code_in_discord(world: World):
    """ "Now it says …" is about the code before, with the fix above in it."""
    async with world.bot(message_content=True) as bot:
        await asked(world, bot)
        (thread,) = world.fake.threads(world.help)
        await world.fake.post(
            world.maya, thread, "now it says\n```\nValueError: something else\n```"
        )
        await world.fake.until(lambda: len(world.fake.by_bot(thread)) == 2)
        await bot.service.idle()
        second = world.fake.by_bot(thread)[-1]

    assert "your code with the fix above" in text_of(second)


# -- files -----------------------------------------------------------------------------------


def zipped(**files: str) -> bytes:
    """A zip with these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return data.getvalue()


async def test_every_file_in_slack_is_accounted_for(open_bot: Open):
    """A snippet called Untitled, one of another organisation, a zip, a picture."""
    async with open_bot() as bot:
        slack = bot.slack
        untitled = slack.file("Untitled", b"print('from a snippet')\n") | {"filetype": "python"}
        ts = await slack.say("what does it print?", channel="D1", files=[untitled])
        assert "from a snippet" in (await slack.answer(ts, "D1")).shown

        slack.connected_files["F9"] = slack.file("there.py", b"print('from afar')\n")
        known = {"id": "F9", "name": "there.py", "file_access": "check_file_info", "size": 9}
        ts = await slack.say("and this?", channel="D2", files=[known])
        assert "from afar" in (await slack.answer(ts, "D2")).shown

        packed = slack.file("all.zip", zipped(a__py="print(open('d.txt').read())", d__txt="data!"))
        picture = slack.file("screenshot.png", b"\x89PNG\r\n\x1a\n")
        ts = await slack.say("and these?", channel="D3", files=[packed, picture])
        shown = (await slack.answer(ts, "D3")).shown
        assert "data!" in shown and "all.zip holds a.py, d.txt" in shown
        await slack.say("use len instead of print", channel="D3", thread=ts)
        again = await slack.until(
            lambda: [c for c in slack.cards("D3", ts) if "len(open" in c.shown.replace("`", "")]
        )
        assert "No such file" not in again[0].shown  # the data is there in a follow-up, too
        assert "I cannot read screenshot.png; paste its text" in shown

        rows = b"1,2\n" * 500_000  # it comes in many pieces
        data, code = (
            slack.file("d.csv", rows),
            slack.file("n.py", b"print(len(open('d.csv').read()))"),
        )
        ts = await slack.say("", channel="D5", files=[data, code])
        assert "2000000" in (await slack.answer(ts, "D5")).shown

        ts = await slack.say("", channel="D4", files=[picture])
        told = await slack.until(
            lambda: [c for c in slack.cards("D4", ts) if "screenshot.png" in c.shown]
        )
        assert "I cannot read screenshot.png; paste its text" in told[0].shown


async def test_every_file_in_discord_is_accounted_for(world: World):
    """A zip is read, a picture is named, and what is too large is not even fetched."""
    async with world.bot() as bot:
        direct = world.fake.direct(world.maya)
        packed = ("all.zip", zipped(a__py="print(open('d.txt').read())", d__txt="data!"))
        picture, large = ("screen.png", b"\x89PNG"), ("big.log", bytes(6 * 1024 * 1024))
        await world.fake.post(world.maya, direct, "and these?", (packed, picture, large))
        card = await world.card(direct)
        await bot.service.idle()
        other = world.fake.direct(world.otto)
        await world.fake.post(world.otto, other, "", (picture,))
        await world.fake.until(
            lambda: any("cannot read screen.png" in text_of(m) for m in world.fake.by_bot(other))
        )

    shown = text_of(card)
    assert "data!" in shown and "all.zip holds a.py, d.txt" in shown
    assert "I cannot read screen.png; paste its text" in shown
    assert "big.log: 6.0 MiB is more than the 5 MiB that I read" in shown


async def test_the_forms_take_files(open_bot: Open, world: World):
    """Code is optional there."""
    async with open_bot() as bot:
        id = await bot.slack.press("tm:form")
        view = (await bot.slack.until(lambda: bot.slack.views))[-1]
        empty = await bot.slack.submit(view, {"code": "", "words": ""})
        file = bot.slack.file("a.py", b"print('in a file')\n")
        await bot.slack.submit(view, {"code": "", "words": "", "files": {"files": [file]}})
        await bot.slack.until(lambda: "in a file" in str(bot.slack.responses[id]))
        assert empty["response_action"] == "errors"
    async with world.bot():
        shown = await world.fake.slash(world.maya, world.help)
        message = await world.fake.until(lambda: world.fake.response(shown))
        form = await world.fake.click(world.maya, message, "Paste code")
        await world.fake.until(lambda: form.modal)
        await world.fake.submit(form, (("b.py", b"print('in another')\n"),))
        assert "in another" in text_of(await world.card())
