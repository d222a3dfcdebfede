"""Discord's settings, and the token that lets us in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from bot.settings import FrontSettings, Secret, require_tokens

# Where to get it.
TOKENS = {
    "DISCORD_TOKEN": "discord.com/developers/applications → your application → Bot → Reset Token",
}


class DiscordSettings(FrontSettings):
    """Discord; its token comes from the environment only."""

    api_url: str = ""  # empty: Discord's own
    gateway_url: str = ""
    message_content: bool = False  # the privileged intent: follow-ups and support channels need it
    cards: Literal["components", "embeds"] = "components"  # embeds: for old clients


def discord_token(environment: Mapping[str, str]) -> Secret:
    """Discord's token from the environment.

    Raises:
        SettingsError: it is missing; says where to get it.
    """
    return require_tokens(TOKENS, environment)["DISCORD_TOKEN"]
