"""Cards to copy from, answers that are shared, cases that people take, drafts of the team."""

from __future__ import annotations

from bot.settings import SupportChannel
from tests.bot.fakes.discord import EVERYDAY, MANAGE_CHANNELS, buttons, text_of
from tests.bot.fakes.slack import Message
from tests.bot.fakes.slack import buttons as slack_buttons
from tests.bot.platforms.on_discord import BROKEN, World, asked
from tests.bot.platforms.on_slack import IN_PLACE, PRINT, Open

# -- cards and people ------------------------------------------------------------------------


async def test_the_fixed_program_can_be_copied_in_one_go(open_bot: Open):
    """Whole and highlighted; the diff, the jail and the memory are behind “Details”."""
    async with open_bot() as bot:
        ts = await bot.slack.say(IN_PLACE, mention=True)
        card = await bot.slack.answer(ts)
        boxes = [
            e
            for b in card.blocks
            if b["type"] == "rich_text"
            for e in b["elements"]
            if e.get("language") == "python"
        ]
        pressed = await bot.slack.press(slack_buttons(card.blocks)["Details"], ts=card.ts)
        told = (await bot.slack.until(lambda: bot.slack.responses[pressed]))[0]["text"]

        assert boxes[0]["elements"][0]["text"] == (
            "import torch\ny = torch.ones(2, requires_grad=True).exp()\ny = y + 1\n"
            "y.sum().backward()"
        )
        assert "jailed" not in card.shown and "MiB" not in card.shown
        assert "jailed" in told and "-y += 1" in told and "MiB" in told
        assert any(e.get("type") == "link" for b in card.blocks if b["type"] == "rich_text"
                   for s in b["elements"] for e in s["elements"])  # fmt: skip


async def test_a_case_is_taken_and_resolved_in_slack(open_bot: Open):
    """With its files, a ping of the group, and a word to the asker each time."""
    async with open_bot(humans=("CHELP",), ping="S7") as bot:
        slack = bot.slack
        data = slack.file("d.csv", b"1,2\n", "text/csv")
        code = slack.file("a.py", b"print(open('d.csv').read())\n")
        ts = await slack.say("why?", channel="D1", files=[code, data])
        card = await slack.answer(ts, "D1")
        await slack.press(slack_buttons(card.blocks)["Ask a human"], ts=card.ts, channel="D1")
        case = (await slack.until(lambda: slack.cards("CHELP")))[0]
        await slack.until(lambda: len([f for f in slack.files.values() if f["channel"]]) >= 3)
        press = slack_buttons(case.blocks)
        refused = await slack.press(press["I take it"], ts=case.ts, channel="C1", user="U8")
        await slack.press(press["I take it"], ts=case.ts, channel="CHELP", user="U8")
        await slack.until(lambda: len(slack.cards("DU1")) == 1)
        again = await slack.press(press["I take it"], ts=case.ts, channel="CHELP", user="U9")
        await slack.until(lambda: slack.responses[refused] and slack.responses[again])
        await slack.press(press["Resolved"], ts=case.ts, channel="CHELP", user="U8")
        await slack.until(lambda: len(slack.cards("DU1")) == 2)

        assert case.shown.startswith("<@U1>") and "<!subteam^S7>" in case.shown
        assert {f["name"] for f in slack.files.values()} >= {"d.csv", "a.py", "output.txt"}
        assert "brought to others" in slack.responses[refused][0]["text"]
        assert "taken it already" in slack.responses[again][0]["text"]
        assert "taken your question" in slack.cards("DU1")[0].shown
        assert "resolved" in slack.cards("DU1")[1].shown
        assert [c.shown for c in slack.cards("CHELP", case.ts)][-1].endswith("asker was told.")


async def test_a_case_is_taken_and_resolved_in_discord(world: World):
    """The same, with a role that is pinged and nobody else."""
    room, lead = world.fake.channel("maintainers"), world.fake.person("lead")
    async with world.bot(humans=(room.id,), ping="4242") as bot:
        card = await asked(world, bot, BROKEN)
        await world.fake.click(world.maya, card, "Ask a human")
        await world.fake.until(lambda: world.fake.by_bot(room))
        case = world.fake.by_bot(room)[0]
        await world.fake.click(lead, case, "I take it")
        direct = world.fake.direct(world.maya)
        await world.fake.until(lambda: any("lead has taken" in w for w in world.words()))
        await world.fake.click(lead, case, "Resolved")
        await world.fake.until(
            lambda: any("as resolved" in text_of(m) for m in world.fake.by_bot(direct))
        )

    assert "<@&4242>" in text_of(case) and not case["mention_everyone"]


async def test_a_private_answer_can_be_shared(open_bot: Open, world: World):
    """Once it stands in the channel it is a card like any other."""
    async with open_bot() as bot:
        id = await bot.slack.command(IN_PLACE)
        posted = (await bot.slack.until(lambda: bot.slack.responses[id]))[-1]
        share = slack_buttons(posted["blocks"])["Share with the channel"]
        await bot.slack.press(share)
        card = (await bot.slack.until(lambda: bot.slack.cards("C1")))[0]
        await bot.slack.press(slack_buttons(card.blocks)["Solved"], ts=card.ts)
        await bot.slack.until(lambda: "(solved)" in card.text)
        assert "Share with the channel" not in slack_buttons(card.blocks)
    async with world.bot() as discord:
        await world.fake.slash(world.maya, world.help, question=BROKEN)
        card = await world.card()
        await discord.service.idle()
        await world.fake.click(world.maya, card, "Share with the channel")
        await world.fake.until(lambda: [m for m in world.cards(world.help) if not m["flags"] & 64])


async def test_a_message_of_another_app_is_no_question(open_bot: Open):
    """What stands above and was written by a bot is nobody's code."""
    async with open_bot() as bot:
        message = Message("C1", bot.slack.ts(), "UAPP", PRINT.format("'of an app'"), bot_id="B9")
        bot.slack.messages["C1", message.ts] = message
        ts = await bot.slack.say("why does this fail?", mention=True)
        await bot.service.idle()

        assert "of an app" not in str([c.shown for c in bot.slack.cards("C1", ts)])


# -- support channels ------------------------------------------------------------------------


async def test_a_draft_is_seen_by_the_team_first(open_bot: Open):
    """Posted, posted with other words, or dropped; by nobody else."""
    support = {"C9": SupportChannel(draft="CTEAM")}
    async with open_bot(support=support) as bot:
        slack = bot.slack
        asked = [await slack.say(IN_PLACE, channel="C9", user=f"U{n}") for n in range(3)]
        drafts = await slack.until(lambda: len(slack.cards("CTEAM")) == 3 and slack.cards("CTEAM"))
        await bot.service.idle()
        assert not slack.cards("C9")

        first, second, third = (slack_buttons(d.blocks) for d in drafts)
        assert list(first) == ["Post it", "Edit…", "Drop it"]
        refused = await slack.press(first["Post it"], channel="C9", user="U1")
        await slack.press(first["Post it"], channel="CTEAM", ts=drafts[0].ts, user="U8")
        await slack.until(lambda: len(slack.cards("C9")) == 1)
        await slack.press(second["Edit…"], channel="CTEAM", ts=drafts[1].ts, user="U8")
        view = (await slack.until(lambda: slack.views))[-1]
        await slack.submit(view, {"words": "Look at line 3."}, user="U8")
        await slack.until(lambda: len(slack.cards("C9")) == 2)
        await slack.press(third["Drop it"], channel="CTEAM", ts=drafts[2].ts, user="U8")
        await slack.until(lambda: any("Dropped" in c.text for c in slack.cards("CTEAM")))
        again = await slack.press(third["Post it"], channel="CTEAM", ts=drafts[2].ts, user="U8")
        await slack.until(lambda: slack.responses[again])
        posted = slack.cards("C9")

        assert "for the team" in slack.responses[refused][0]["text"]
        assert "overwrites" in posted[0].text and "Look at line 3." in posted[1].text
        assert {c.thread_ts for c in posted} < set(asked)


async def test_a_question_that_was_solved_before_is_linked(open_bot: Open):
    """In the same channel, of the same kind of error, and alike."""
    async with open_bot() as bot:
        first = await bot.slack.say(IN_PLACE, mention=True)
        card = await bot.slack.answer(first)
        other = await bot.slack.say(IN_PLACE, mention=True, channel="C2", user="U2")
        before = await bot.slack.answer(other, "C2")
        await bot.slack.press(slack_buttons(card.blocks)["Solved"], ts=card.ts)
        await bot.slack.until(lambda: "(solved)" in card.text)
        second = await bot.slack.say(IN_PLACE.replace("ones(2", "ones(9"), mention=True, user="U3")
        linked = await bot.slack.answer(second)

        assert "Asked before" not in before.shown
        assert "Asked before in this channel" in linked.shown
        assert f"/C1/p{first}" in str(linked.blocks)


async def test_a_draft_in_discord_is_seen_by_the_team_first(world: World):
    """Posted with other words, or dropped; nobody who asked may press."""
    room = world.fake.channel("team")
    lead = world.fake.person("lead")
    support = {world.help.id: SupportChannel(draft=room.id)}
    async with world.bot(message_content=True, support=support) as bot:
        for person in (world.maya, world.otto):
            await world.fake.post(person, world.help, BROKEN)
        first, second = await world.fake.until(
            lambda: len(world.fake.by_bot(room)) == 2 and world.fake.by_bot(room)
        )
        await bot.service.idle()
        assert not world.fake.threads(world.help)
        form = await world.fake.click(lead, first, "Edit")
        await world.fake.until(lambda: form.modal)
        await world.fake.submit(form, words="Look at line 3.")
        (thread,) = await world.fake.until(lambda: world.fake.threads(world.help))
        await world.fake.until(lambda: world.fake.by_bot(thread))
        await world.fake.click(lead, second, "Drop it")
        await world.fake.until(
            lambda: any("Dropped by lead" in text_of(m) for m in world.fake.by_bot())
        )
        await bot.service.idle()

    assert [b["label"] for b in buttons(first)] == ["Post it", "Edit…", "Drop it"]
    (card,) = world.fake.by_bot(thread)
    assert "Look at line 3." in text_of(card)


async def test_a_channel_is_enabled_from_the_chat(open_bot: Open, world: World):
    """By its admins; from then on it is answered unasked."""
    async with open_bot() as bot:
        slack = bot.slack
        refused = await slack.command("support on", user="U1")
        slack.admins.add("U7")
        slack.scopes.add("users:read")
        done = await slack.command("support on", user="U7")
        ts = await slack.say(IN_PLACE, user="U3")
        card = await slack.answer(ts)

        assert "Only an admin" in slack.ack_bodies[refused]["text"]
        assert "I answer here unasked" in slack.ack_bodies[done]["text"]
        assert "overwrites" in card.text
    lead = world.fake.person("lead", EVERYDAY | MANAGE_CHANNELS)
    async with world.bot(message_content=True):
        refused_too = await world.fake.slash(world.maya, world.help, question="support on")
        done_too = await world.fake.slash(lead, world.help, question="support on")
        await world.fake.until(lambda: world.fake.response(done_too))
        await world.fake.post(world.maya, world.help, BROKEN)
        shown = await world.card()

        assert "Only an admin" in text_of(world.fake.response(refused_too) or {})
        assert "I answer here unasked" in text_of(world.fake.response(done_too) or {})
        assert "overwrites" in text_of(shown)
