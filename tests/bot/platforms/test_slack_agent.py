"""Slack's agent surface: suggested prompts, streamed steps, its own buttons."""

from __future__ import annotations

from bot.service.welcome import PROMPTS
from tests.bot.fakes.slack import buttons as slack_buttons
from tests.bot.platforms.on_slack import IN_PLACE, PRINT, Open


async def test_an_agents_conversation_is_streamed(open_bot: Open):
    """Prompts are suggested, steps are a task, and Slack's own buttons take the feedback."""
    async with open_bot() as bot:
        bot.slack.scopes.add("assistant:write")
        slack = bot.slack
    async with open_bot() as bot:
        thread = {"user_id": "U1", "channel_id": "D1", "thread_ts": slack.ts()}
        await slack._event({"type": "assistant_thread_started", "assistant_thread": thread})
        await slack.until(lambda: slack.suggested.get("D1"))
        ts = await slack.say(IN_PLACE, channel="D1")
        card = await slack.until(
            lambda: next((c for c in slack.cards("D1", ts) if not c.streaming), None)
        )
        await bot.service.idle()
        (feedback,) = [b for b in card.blocks if b["type"] == "context_actions"]
        good = feedback["elements"][0]["positive_button"]["value"]
        await slack.press(good, channel="D1", ts=card.ts)
        await slack.until(lambda: "(solved)" in card.text)

        assert [p["title"] for p in slack.suggested["D1"]] == [p.label for p in PROMPTS]
        assert slack.statuses == ["is on it …"] and len(slack.cards("D1", ts)) == 1
        steps = [v["text"] for v in card.versions if not v["blocks"]]
        assert steps[0].startswith("On it") and steps[-1] == "Done"
        assert "y = y + 1" in card.shown
        assert "Solved" not in slack_buttons(card.blocks)


async def test_an_app_that_may_not_stream_has_cards(open_bot: Open):
    """The scope is there and the method is not: nothing is lost."""
    async with open_bot() as bot:
        bot.slack.scopes.add("assistant:write")
        bot.slack.scopes_missing.add("chat.startStream")
        slack = bot.slack
    async with open_bot():
        ts = await slack.say(PRINT.format("'as ever'"), channel="D1")
        card = await slack.answer(ts, "D1")

        assert "as ever" in card.shown and "Solved" in slack_buttons(card.blocks)
