"""Slack, as commands, settings and doctor know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.errors import SettingsError
from bot.platforms.slack.settings import TOKENS, SlackSettings, slack_tokens
from bot.service.plugin import CallApi, Host, PlatformPlugin


async def _serve(settings: SlackSettings, host: Host) -> None:
    from bot.platforms.slack.app import SlackFront
    from bot.platforms.slack.client import SlackClient
    from bot.platforms.slack.messages import SlackPlatform
    from bot.service.tasks import first_of

    tokens = slack_tokens(settings.mode, host.environment)
    platform = SlackPlatform(SlackClient(settings, tokens))
    await platform.client.meet()
    front = SlackFront(platform, settings, tokens)
    async with host.open_service(platform) as service:
        stopped = host.stop_signal()
        async with front.serve(service) as where:
            host.say(f"answering in Slack over {where}")
            client = platform.client
            await first_of(stopped.wait(), client.tokens.ended(), client.watch(front.connected))


async def _check_tokens(
    settings: SlackSettings, environment: Mapping[str, str], call: CallApi
) -> str:
    tokens = slack_tokens(settings.mode, environment)
    asked = [("SLACK_BOT_TOKEN", "auth.test", tokens.bot)]
    if settings.mode == "socket":
        asked.append(("SLACK_APP_TOKEN", "apps.connections.open", tokens.app))
    said: dict[str, Any] = {}
    base = settings.api_url.rstrip("/")
    for name, method, token in asked:
        answer = await call("POST", f"{base}/{method}", f"Bearer {token.reveal()}")
        said = said or answer
        if not answer.get("ok"):
            why = str(answer.get("error") or "no reason given")
            raise SettingsError(f"Slack refuses {name} ({why}); copy it again from {TOKENS[name]}")
    names = ", ".join(name for name, _, _ in asked)
    return f"{names}: set, and Slack knows this bot as {said.get('user_id') or '?'}"


def _listens_at(settings: SlackSettings) -> tuple[str, int] | None:
    return (settings.host, settings.port) if settings.mode == "http" else None


PLUGIN = PlatformPlugin(
    name="slack",
    title="Slack",
    help="Answer in Slack until stopped; docs/slack.md says how to set it up.",
    section=SlackSettings,
    tokens=TOKENS,
    serve=_serve,
    check_tokens=_check_tokens,
    listens_at=_listens_at,
    rank=1,
)
