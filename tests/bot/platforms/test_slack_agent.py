"""Slack's agent surface: suggested prompts, streamed steps, its own buttons."""

from __future__ import annotations

from bot.service.welcome import PROMPTS
from tests.bot.fakes.slack import buttons as slack_buttons
from tests.bot.fakes.slack import manifest, scopes_of
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


async def test_an_agents_tab_suggests_prompts_whenever_it_is_opened(open_bot: Open):
    """`agent_view` has no event for a new conversation, and no thread that prompts belong to."""
    async with open_bot() as bot:
        bot.slack.scopes = scopes_of(manifest("manifest-agent.yaml"))
        bot.slack.agent_view = True
        slack = bot.slack
    async with open_bot():
        for _ in range(2):
            opened = {"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "messages"}
            await slack._event(opened)
            await slack.until(lambda: slack.suggested.get("D1"))
            titles = [p["title"] for p in slack.suggested.pop("D1")]

            assert titles == [p.label for p in PROMPTS]


def test_the_manifests_ask_for_what_the_bot_reads():
    """The second is the first with the agent surface; each event comes with its scope."""
    plain, agent = manifest(), manifest("manifest-agent.yaml")
    events = set(plain["settings"]["event_subscriptions"]["bot_events"])
    # https://docs.slack.dev/reference/events
    needed = {
        "app_home_opened": set[str](),
        "app_mention": {"app_mentions:read"},
        "member_joined_channel": {"channels:read", "groups:read"},
        "message.channels": {"channels:history"},
        "message.groups": {"groups:history"},
        "message.im": {"im:history"},
        "message.mpim": {"mpim:history"},
    }

    assert events == set(needed)
    assert set().union(*needed.values()) < scopes_of(plain)
    assert scopes_of(agent) - scopes_of(plain) == {"assistant:write"}
    del agent["features"]["agent_view"]
    agent["oauth_config"]["scopes"]["bot"].remove("assistant:write")
    assert agent == plain


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
