"""Slack's settings, and the tokens that let us in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.settings import FrontSettings, Secret, Whole, require_tokens

# Where to get them.
TOKENS = {
    "SLACK_BOT_TOKEN": "api.slack.com/apps → your app → OAuth & Permissions → Bot User OAuth Token "
    "(xoxb-…)",
    "SLACK_APP_TOKEN": "api.slack.com/apps → your app → Basic Information → App-Level Tokens, with "
    "the scope connections:write (xapp-…)",
    "SLACK_SIGNING_SECRET": "api.slack.com/apps → your app → Basic Information → App Credentials → "
    "Signing Secret",
}


class SlackSettings(FrontSettings):
    """Slack; its tokens come from the environment only."""

    api_url: str = "https://slack.com/api/"
    mode: Literal["socket", "http"] = "socket"
    host: str = "127.0.0.1"  # mode http: where to listen
    port: Whole = 3000


@dataclass(frozen=True)
class SlackTokens:
    """What lets us into Slack; which of the last two is needed depends on the mode."""

    bot: Secret
    app: Secret
    signing: Secret


def slack_tokens(mode: str, environment: Mapping[str, str]) -> SlackTokens:
    """Slack's tokens from the environment.

    Raises:
        SettingsError: names every one that is missing, and where to get it.
    """
    needed = "SLACK_APP_TOKEN" if mode == "socket" else "SLACK_SIGNING_SECRET"
    require_tokens({name: TOKENS[name] for name in ("SLACK_BOT_TOKEN", needed)}, environment)
    return SlackTokens(*(Secret(environment.get(name, "").strip()) for name in TOKENS))
